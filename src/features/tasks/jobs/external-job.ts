/** Creates the handler of a tool whose work runs in another service. */
import type { GrantProps } from '../../../protocol/auth-info.ts'
import type { FullContext } from '../../../server/context.ts'
import type { ExternalJobOptions, Job, JobContext, JobHandler } from '../../../server/job.ts'
import { compileSchema } from '../../../server/schema/compile.ts'
import { CALLBACK_KEY, runJob } from './run-job.ts'

const DEFAULT_MIN_MS = 1000
const DEFAULT_MAX_MS = 60_000
const LEAST_PAUSE_MS = 100

const DEFAULT_TIMEOUT_MS = 30_000
const MAX_TIMEOUT_MS = 60_000

/** The keys that `deliver` accepts. */
const EVENT_KEY = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * The handler of a tool whose work is done by another service. The tool can be called as a task only; the
 * task asks for the status by alarms and returns the output as its result.
 *
 * @throws {TypeError} for a malformed option
 */
export function externalJob<Args = undefined, Output = unknown, Env = unknown, Props = GrantProps>(
  options: ExternalJobOptions<Args, Output, Env, Props>,
  // A status without an output does not make the output of the tool optional.
): JobHandler<Args, Exclude<Output, undefined>, Env, Props> {
  // From here on without the author's types, which the compiler has checked at the registration.
  const job = checkJob((options ?? {}) as ExternalJobOptions<unknown, unknown>)
  return {
    run: (args, ctx) =>
      runJob(job, args, ctx as unknown as FullContext) as Promise<Exclude<Output, undefined>>,
    cancel: async (id, ctx) => job.cancel(id, ctx as JobContext),
  }
}

function checkJob(options: ExternalJobOptions<unknown, unknown>): Job {
  const { start, status, cancel, send, idempotent = false, poll = {}, events = {} } = options
  for (const [name, value] of Object.entries({ start, status, cancel })) {
    if (typeof value !== 'function') throw new TypeError(`A job needs the function ${name}`)
  }
  const keys = Object.keys(events)
  if (keys.length > 0 && typeof send !== 'function') {
    throw new TypeError('A job with events needs the function send')
  }
  const { minMs = DEFAULT_MIN_MS, maxMs = Math.max(minMs, DEFAULT_MAX_MS) } = poll
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
  if (!(minMs >= LEAST_PAUSE_MS && maxMs >= minMs && maxMs < Number.POSITIVE_INFINITY)) {
    throw new TypeError(`A job needs ${LEAST_PAUSE_MS} <= poll.minMs <= poll.maxMs`)
  }
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new TypeError(`timeoutMs of a job must be above 0 and at most ${MAX_TIMEOUT_MS}`)
  }
  for (const key of keys) {
    if (!EVENT_KEY.test(key) || key === CALLBACK_KEY) {
      throw new TypeError(
        `The event "${key}" of a job: use 1 to 64 of A-Z a-z 0-9 _ - . and not "${CALLBACK_KEY}"`,
      )
    }
  }
  const compiled = Object.entries(events).map(
    ([key, schema]) => [key, compileSchema(schema, 'input')] as const,
  )
  return {
    start,
    status,
    cancel,
    send,
    idempotent,
    minMs,
    maxMs,
    timeoutMs,
    events: new Map(compiled),
  }
}
