/** Runs a handler: creates its context, applies its timeout, and converts what it throws. */
import { ConfigurationError } from '../platform/configuration-error.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { isLoopbackName } from '../protocol/loopback-name.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { FullContext } from '../server/context.ts'
import type { Definition } from '../server/definition.ts'
import { ToolError } from '../server/tool-error.ts'
import type { Call } from './call.ts'
import { HandlerRun, type RunOptions, type RunPlace } from './handler-run.ts'
import { runInScope } from './handler-scope.ts'
import type { Journal } from './journal/journal.ts'
import { Suspension } from './journal/suspension.ts'
import { createReference } from './reference.ts'
import { RunError } from './run-error.ts'
import { settleOrCancel } from './settle.ts'

export const PLAIN_RUN: RunOptions = { timeoutMs: undefined, singleUse: false, files: false }

/**
 * Runs a handler until it returns or needs answers.
 *
 * @throws {RunError} if the call is cancelled or exceeds its timeout
 * @throws {Suspension} with the asks of the handler
 * @throws {ProtocolError} invalidParams, if `requestState` or `inputResponses` is not valid for the request
 * @throws the error of the handler
 */
export function runHandler<T>(
  call: Call,
  codec: Codec,
  options: RunOptions,
  run: (ctx: FullContext) => T | PromiseLike<T>,
  place?: RunPlace,
): Promise<T> {
  const { recording } = call.run
  if (recording?.recordsSpans !== true) return runUnrecorded(call, codec, options, run, place)
  const work = () => runUnrecorded(call, codec, options, run, place)
  if (place?.outer !== undefined) {
    return recording.within('inner-call', String(call.request.params?.name), work)
  }
  return recording.within('handler', recording.event.name ?? call.request.method, work)
}

async function runUnrecorded<T>(
  call: Call,
  codec: Codec,
  options: RunOptions,
  run: (ctx: FullContext) => T | PromiseLike<T>,
  place: RunPlace | undefined,
): Promise<T> {
  const { cancellation } = call.run
  const { timeoutMs = call.deployment.limits.handlerTimeoutMs } = options
  const journal = journalOf(call, options.singleUse)
  const kept = journal instanceof Promise ? await cancellation.waitFor(journal) : journal
  const own = new HandlerRun(call, codec, options, kept, place)
  try {
    const returned = runInScope(new call.deployment.extensions.Context(own), run)
    // Not only promises: an RPC to a Durable Object returns a thenable of the platform.
    if (!isThenable(returned)) return returned
    return await settleOrCancel(returned, timeoutMs, cancellation, own)
  } catch (error) {
    const { rounds } = call.deployment.extensions
    throw rounds === undefined ? error : await rounds.convert(call, codec, own, error)
  } finally {
    cancellation.unlimit()
    own.close()
  }
}

/** In the modern era only a request with answers or a state resumes a journal; a task has its own in every era. */
export function journalOf(call: Call, singleUse: boolean): Journal | undefined | Promise<Journal> {
  const { request, client, run, deployment } = call
  if (client.era !== 'modern' || run.journal !== undefined) return run.journal
  const { rounds } = deployment.extensions
  const { requestState, inputResponses } = request.params ?? {}
  const resumes = requestState !== undefined || inputResponses !== undefined
  return run.canAsk && resumes ? rounds?.resume(call, singleUse) : undefined
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/**
 * Describes a failure for the client: the message of a `ToolError`, and for any other error only the fact
 * with a reference, unless the definition shows errors. Telemetry receives the error under the same
 * reference.
 */
export function describeFailure(
  call: Call,
  { showsErrors }: Definition,
  subject: string,
  error: unknown,
): string {
  const { report } = call.deployment
  if (error instanceof ToolError) return error.message
  if (error instanceof RunError && error.reason === 'cancelled') {
    const reason = call.run.cancellation.reason ?? 'client-disconnected'
    report({ type: 'cancelled', method: call.request.method, reason })
    call.run.recording?.cancelled(reason)
    if (reason !== 'timeout') return `${subject} was cancelled.`
    const check = call.request.method === 'tools/call' ? CHECK : ''
    return `${subject} exceeded its timeout and was stopped.${check}`
  }
  const reference = createReference()
  call.run.recording?.failed(reference)
  if (error instanceof RunError) {
    report({ type: 'bad-result', subject, reference, message: error.message })
    if (error.hint) return `${subject} ${error.hint} (reference ${reference}). Ask for less.`
    if (showsErrors) return `${subject}: ${error.message}`
    return `${subject} returned a result that cannot be sent (reference ${reference}).`
  }
  report({ type: 'handler-error', subject, reference, error })
  const message = showsErrors || isForAuthor(error, call) ? messageOf(error) : ''
  if (message !== '') return message
  return `${subject} failed (reference ${reference}).`
}

/** A handler that was stopped may have had a part of its effect. */
const CHECK = ' Check what it has done before you repeat it.'

/** A mistake of the author, where the author is at the client. */
function isForAuthor(error: unknown, { request }: Call): boolean {
  if (!(error instanceof ConfigurationError)) return false
  const origin = request.origin()
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  return error instanceof Error ? error.message : ''
}

/** Converts a failure to a JSON-RPC error, for methods other than `tools/call`. */
export function failureError(
  call: Call,
  definition: Definition,
  subject: string,
  error: unknown,
): ProtocolError | Suspension {
  if (error instanceof ProtocolError || error instanceof Suspension) return error
  const message = describeFailure(call, definition, subject, error)
  return new ProtocolError(ErrorCode.internalError, message, undefined, { cause: error })
}
