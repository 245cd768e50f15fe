/**
 * The answer of a call that is not quick, or has something to say on the way, or asks: still one JSON
 * object where it comes within a moment and in silence, and a stream otherwise; for a client of the
 * modern era that reads none, an object that begins with white space.
 */
import type { Call, ResultText } from '../dispatch/call.ts'
import type { Cancellation } from '../dispatch/cancellation.ts'
import { sealState } from '../dispatch/journal/request-state.ts'
import { Suspension } from '../dispatch/journal/suspension.ts'
import { internalError, type Outcome } from '../dispatch/outcome.ts'
import { errorBody, resultBody, textOf } from '../dispatch/response-text.ts'
import { settlesAtOnce } from '../dispatch/settle.ts'
import { withDeadline } from '../platform/deadline.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { RequestMessage } from '../protocol/json-rpc.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import { onDisconnect } from './disconnect.ts'
import type { Exchange } from './exchange.ts'
import { jsonResponse, protocolErrorResponse, sseResponse } from './respond.ts'
import type { ResponseStream } from './sse/response-stream.ts'
import { watchCaller } from './watch-caller.ts'

/** From the outcome of a call to what is answered. */
const FEW_TURNS = 4

/** A call that has begun. */
interface Begun {
  readonly call: Call
  readonly outcome: Promise<Outcome>
  /** Of events, or of white space and an object; undefined where the answer is waited for. */
  readonly stream: ResponseStream | undefined
}

export async function answerLater(
  exchange: Exchange,
  revision: Revision,
  message: RequestMessage,
  { call, outcome, stream }: Begun,
): Promise<Response> {
  const { endpoint, request, accepted, waitUntil, extraHeaders } = exchange
  const codec = endpoint.dispatcher.codec(revision)
  const answered = outcome.then((settled) =>
    settled instanceof Suspension ? suspend(codec, call, settled) : settled,
  )
  if (revision.era === 'modern') onDisconnect(request, () => lose(call.run.cancellation, stream))
  else waitUntil(answered)
  if (stream !== undefined && accepted.json) {
    await withDeadline(endpoint.limits.streamAfterMs, Promise.race([answered, stream.opened]))
  }
  const silent = stream?.isOpen === false && (await settlesAtOnce(answered, FEW_TURNS))
  // An error that comes before any stream has its status, whatever form of answer was asked for.
  if (
    stream === undefined ||
    (silent && (accepted.json || (await answered) instanceof ProtocolError))
  ) {
    return jsonAnswer(exchange, revision, message, await answered)
  }
  const body = stream.open()
  const stopWatching = watchCaller(exchange, () => {
    void stream.close()
    if (revision.era === 'modern') call.run.cancellation.cancel('access-revoked')
  })
  const finished = answered
    .then((settled) =>
      stream.end(
        settled instanceof ProtocolError
          ? errorBody(message.id, settled, codec)
          : textOf(resultBody(message.id, settled)),
      ),
    )
    .finally(stopWatching)
  waitUntil(finished)
  return accepted.sse ? sseResponse(body, extraHeaders) : jsonResponse(body, extraHeaders)
}

export function jsonAnswer(
  exchange: Exchange,
  revision: Revision,
  { id }: RequestMessage,
  settled: ResultText | ProtocolError,
): Response {
  return settled instanceof ProtocolError
    ? protocolErrorResponse(exchange, id, settled, exchange.endpoint.dispatcher.codec(revision))
    : jsonResponse(resultBody(id, settled), exchange.extraHeaders)
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

function lose(cancellation: Cancellation, stream: ResponseStream | undefined): void {
  stream?.abandon('client-gone')
  cancellation.cancel('client-gone')
}
