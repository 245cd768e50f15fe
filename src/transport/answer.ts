/**
 * Answering one request: as one JSON object while it is quick and has nothing to say on the way,
 * and as a stream from the moment it is not.
 */
import type { Call, ResultText } from '../dispatch/call.ts'
import { Cancellation } from '../dispatch/cancellation.ts'
import { sealState } from '../dispatch/journal/request-state.ts'
import { Suspension } from '../dispatch/journal/suspension.ts'
import { internalError, settleCall } from '../dispatch/outcome.ts'
import { errorBody, resultBody, textOf } from '../dispatch/response-text.ts'
import { settlesAtOnce } from '../dispatch/settle.ts'
import { ASKING_METHODS } from '../protocol/asking-methods.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { RequestMessage } from '../protocol/json-rpc.ts'
import { notificationText } from '../protocol/json-rpc.ts'
import type { RequestMeta } from '../protocol/meta.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import { onDisconnect } from './disconnect.ts'
import type { Endpoint, Exchange } from './exchange.ts'
import { jsonResponse, protocolErrorResponse, sseResponse } from './respond.ts'
import { ResponseStream } from './sse/response-stream.ts'

/** Turns from here to a handler and back that involve no I/O. */
const DISPATCH_TURNS = 24

export async function answer(
  exchange: Exchange,
  revision: Revision,
  message: RequestMessage,
  meta: RequestMeta,
  opensSession = false,
): Promise<Response> {
  const { endpoint, extraHeaders, accepted } = exchange
  const { sse, json } = accepted
  const cancellation = new Cancellation()
  // In the session eras a client may leave and the work goes on; in the modern one it may not.
  const cancels = revision.era === 'modern'
  const stream = sse
    ? new ResponseStream(endpoint.limits, (reason) => {
        if (cancels) cancellation.cancel(reason)
      })
    : undefined
  const call = createCall(exchange, revision, message, meta, opensSession, cancellation, stream)
  const outcome = settle(endpoint, revision, call)

  const quick = await settlesAtOnce(outcome, DISPATCH_TURNS)
  if (!quick) {
    if (cancels) onDisconnect(exchange.request, () => lose(cancellation, stream))
    else exchange.waitUntil(outcome)
    if (stream !== undefined && json) {
      await settledOrOpen(outcome, stream, endpoint.limits.streamAfterMs)
    }
  }
  const settled = quick || (await isSettled(outcome))
  const silent = stream?.isOpen === false && settled
  // An error that comes before any stream has its status, whatever form of answer was asked for.
  if (stream === undefined || (silent && (json || (await outcome) instanceof ProtocolError))) {
    return jsonAnswer(exchange, revision, message, await outcome)
  }
  const body = stream.open()
  const codec = endpoint.dispatcher.codec(revision)
  const finished = outcome.then((settled) =>
    stream.end(
      settled instanceof ProtocolError
        ? errorBody(message.id, settled, codec)
        : textOf(resultBody(message.id, settled)),
    ),
  )
  exchange.waitUntil(finished)
  return sseResponse(body, extraHeaders)
}

function createCall(
  { endpoint, request, env, auth, waitUntil, services }: Exchange,
  revision: Revision,
  { id, method, params }: RequestMessage,
  { clientInfo, clientCapabilities, logLevel, progressToken }: RequestMeta,
  opensSession: boolean,
  cancellation: Cancellation,
  stream: ResponseStream | undefined,
): Call {
  const { limits, audience, report } = endpoint
  return {
    id,
    method,
    params,
    auth,
    clientInfo,
    clientCapabilities,
    logLevel,
    progressToken,
    headers: request.headers,
    env,
    era: revision.era,
    asking: revision.era === 'modern' && ASKING_METHODS.has(method),
    session: undefined,
    opensSession,
    journal: undefined,
    audience,
    requestStateTtlMs: limits.requestStateTtlMs,
    sealer: services.sealer,
    changes: services.changes,
    cancellation,
    handlerTimeoutMs: limits.handlerTimeoutMs,
    notify: async (name, notification) => stream?.send(notificationText(name, notification)),
    waitUntil,
    report,
  }
}

/** Errors and questions as values: what this revision answers. */
async function settle(
  { dispatcher }: Endpoint,
  revision: Revision,
  call: Call,
): Promise<ResultText | ProtocolError> {
  const outcome = await settleCall(dispatcher, revision, call)
  return outcome instanceof Suspension
    ? suspend(dispatcher.codec(revision), call, outcome)
    : outcome
}

/** The questions of a suspended handler, as this revision's answer. */
async function suspend(
  codec: Codec,
  call: Call,
  suspension: Suspension,
): Promise<ResultText | ProtocolError> {
  if (codec.inputRequiredText === undefined) {
    return internalError(call, new TypeError(`${codec.revision.id} has no way to ask in an answer`))
  }
  try {
    return codec.inputRequiredText(suspension.requests, await sealState(call, suspension))
  } catch (error) {
    return error instanceof ProtocolError ? error : internalError(call, error)
  }
}

function jsonAnswer(
  exchange: Exchange,
  revision: Revision,
  { id }: RequestMessage,
  settled: ResultText | ProtocolError,
): Response {
  return settled instanceof ProtocolError
    ? protocolErrorResponse(exchange, id, settled, exchange.endpoint.dispatcher.codec(revision))
    : jsonResponse(resultBody(id, settled), exchange.extraHeaders)
}

/** Waits for the outcome, the first notification or the end of a moment, whichever comes first. */
async function settledOrOpen(
  outcome: Promise<unknown>,
  stream: ResponseStream,
  streamAfterMs: number,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const moment = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, streamAfterMs)
  })
  await Promise.race([outcome, stream.opened, moment])
  clearTimeout(timer)
}

function isSettled(outcome: Promise<unknown>): Promise<boolean> {
  return settlesAtOnce(outcome, 1)
}

function lose(cancellation: Cancellation, stream: ResponseStream | undefined): void {
  stream?.abandon('client-gone')
  cancellation.cancel('client-gone')
}
