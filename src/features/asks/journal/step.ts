/** Runs the work of one step: its attempts, their timeout, the record that an attempt has started, and its result. */

import type { Journal } from '../../../dispatch/journal/journal.ts'
import { delay } from '../../../platform/deadline.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import type { StepBackoff, StepContext, StepOptions } from '../../../server/step.ts'

export type { StepOptions } from '../../../server/step.ts'

export type StepWork<T> = (step: StepContext) => T | Promise<T>

/** Maximum pause between two attempts: the object stays in memory meanwhile. */
const MAX_BACKOFF_MS = 60_000

const MAX_RETRIES = 100

/** A step was running when its object lost its memory, and may not run twice. */
function interrupted(key: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.internalError,
    `The server was interrupted while step "${key}" was running. The step may have had its effect, and it is not idempotent, so it was not repeated.`,
    undefined,
    { reason: 'step-interrupted' },
  )
}

/**
 * @param stepId the same for every attempt, in every run of the handler
 * @throws {ProtocolError} `step-interrupted` for a step that was interrupted and is not idempotent
 * @throws the error of the last attempt
 */
export async function runStep<T>(
  key: string,
  stepId: string,
  options: StepOptions,
  work: StepWork<T>,
  journal: Journal,
): Promise<T> {
  const { retries = 0, idempotent = false } = checkOptions(key, options)
  const started = journal.pending(key, 'started')
  if (started !== undefined && !idempotent) throw interrupted(key)
  for (let attempt = typeof started === 'number' ? started : 1; ; attempt++) {
    // Without a record an attempt is the first one, and an idempotent step need not be found interrupted.
    const isRecorded = journal.recordsStarts && !(idempotent && attempt === 1)
    if (isRecorded) journal.write(key, 'started', attempt)
    try {
      return await runAttempt(key, stepId, attempt, options, work)
    } catch (error) {
      if (isRecorded) journal.drop(key)
      if (attempt > retries) throw error
      await pause(options.backoff, attempt)
    }
  }
}

/**
 * Returns the result of a step as parsed JSON, so that the handler receives the same value in every round.
 *
 * @throws {TypeError} for a value that is not JSON
 */
export function stepResult(key: string, value: unknown): JsonValue {
  if (value === undefined) return null
  let text: string | undefined
  let cause: unknown
  try {
    text = JSON.stringify(value)
  } catch (error) {
    // A cycle or a bigint.
    cause = error
  }
  if (text === undefined) throw new TypeError(`Step "${key}" must return a JSON value`, { cause })
  return JSON.parse(text)
}

async function runAttempt<T>(
  key: string,
  stepId: string,
  attempt: number,
  { timeoutMs }: StepOptions,
  work: StepWork<T>,
): Promise<T> {
  const abort = new AbortController()
  const step: StepContext = { stepId, attempt, signal: abort.signal }
  if (timeoutMs === undefined) return await work(step)
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new DOMException(`Step "${key}" exceeded its timeout`, 'TimeoutError')
    abort.abort(error)
    reject(error)
  }, timeoutMs)
  try {
    return await Promise.race([work(step), timeout])
  } finally {
    clearTimeout(timer)
  }
}

function pause(
  { initialMs = 500, factor = 2, maxMs = MAX_BACKOFF_MS }: StepBackoff = {},
  attempt: number,
): Promise<void> {
  return delay(Math.min(initialMs * factor ** (attempt - 1), maxMs, MAX_BACKOFF_MS))
}

function checkOptions(key: string, options: StepOptions): StepOptions {
  const { retries, backoff = {}, timeoutMs } = options
  if (
    retries !== undefined &&
    !(Number.isSafeInteger(retries) && retries >= 0 && retries <= MAX_RETRIES)
  ) {
    throw new TypeError(`Step "${key}": retries must be an integer from 0 to ${MAX_RETRIES}`)
  }
  for (const [name, value] of Object.entries({ ...backoff, timeoutMs })) {
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new TypeError(`Step "${key}": ${name} must be a number above 0`)
    }
  }
  return options
}
