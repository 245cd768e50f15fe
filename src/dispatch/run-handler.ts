/** Running an author's code: its context, its time, and what becomes of what it throws. */
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Context } from '../server/context.ts'
import { ToolError } from '../server/tool-error.ts'
import { UrlElicitationRequiredError } from '../server/url-elicitation-required-error.ts'
import type { Call } from './call.ts'
import { HandlerContext } from './handler-context.ts'
import type { Journal } from './journal/journal.ts'
import { resumeJournal } from './journal/request-state.ts'
import { Suspension } from './journal/suspension.ts'
import { requireElicitation } from './require-elicitation.ts'
import { CancelledError, settleOrCancel } from './settle.ts'
import { BadResultError } from './tool-result.ts'

/** What a definition says of its own runs. */
export interface RunOptions {
  /** Undefined for the general limit. */
  readonly timeoutMs: number | undefined
  readonly singleUse: boolean
}

export const PLAIN_RUN: RunOptions = { timeoutMs: undefined, singleUse: false }

/**
 * Runs a handler to its end, or to where it needs answers.
 *
 * @throws whatever the handler throws, and `CancelledError`
 * @throws {Suspension} with what it asks
 * @throws {ProtocolError} invalidParams for a state or answers that are not the request's own
 */
export async function runHandler<T>(
  call: Call,
  codec: Codec,
  { timeoutMs = call.deployment.limits.handlerTimeoutMs, singleUse }: RunOptions,
  run: (ctx: Context) => T | PromiseLike<T>,
): Promise<T> {
  const { cancellation } = call.run
  const journal = journalOf(call, singleUse)
  const kept = journal instanceof Promise ? await cancellation.waitFor(journal) : journal
  const ctx = new HandlerContext(call, codec, singleUse, kept)
  try {
    const returned = run(ctx)
    // Not only promises: a call to an object returns a thenable of the platform's own.
    if (!isThenable(returned)) return returned
    return await settleOrCancel(returned, timeoutMs, cancellation, ctx)
  } catch (error) {
    if (error instanceof UrlElicitationRequiredError)
      throw requireElicitation(call, codec, ctx, error)
    throw error
  } finally {
    cancellation.unlimit()
    ctx.close()
  }
}

/** In the modern era only a request that brings answers or a state has a journal to go on with. */
function journalOf(call: Call, singleUse: boolean): Journal | undefined | Promise<Journal> {
  const { request, client, run } = call
  if (client.era !== 'modern') return run.journal
  const { requestState, inputResponses } = request.params ?? {}
  const brings = requestState !== undefined || inputResponses !== undefined
  return run.canAsk && brings ? resumeJournal(call, singleUse) : undefined
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** A short random name that a caller can quote and an operator can search for. */
function createReference(): string {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1))
  return value.toString(16).padStart(8, '0')
}

/**
 * What the caller may read of a failure: the text of a `ToolError`, and of anything else only that
 * it happened. The rest goes to telemetry under a reference.
 */
export function describeFailure(call: Call, subject: string, error: unknown): string {
  const { report } = call.deployment
  if (error instanceof ToolError) return error.message
  if (error instanceof CancelledError) {
    const reason = call.run.cancellation.reason ?? 'client-gone'
    report({ type: 'cancelled', method: call.request.method, reason })
    return reason === 'timeout'
      ? `${subject} took too long and was stopped.`
      : `${subject} was cancelled.`
  }
  const reference = createReference()
  if (error instanceof BadResultError) {
    report({ type: 'bad-result', subject, reference, message: error.message })
    return `${subject} returned a result that cannot be sent (reference ${reference}).`
  }
  report({ type: 'handler-error', subject, reference, error })
  return `${subject} failed (reference ${reference}).`
}

/** The same for the methods whose failures are JSON-RPC errors. */
export function failureError(
  call: Call,
  subject: string,
  error: unknown,
): ProtocolError | Suspension {
  if (error instanceof ProtocolError || error instanceof Suspension) return error
  const message = describeFailure(call, subject, error)
  return new ProtocolError(ErrorCode.internalError, message, undefined, { cause: error })
}
