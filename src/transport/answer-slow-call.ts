/**
 * Answers a call that waits, sends notifications or asks: with JSON if it settles within
 * `streamAfterMs` and has sent nothing, else with a stream in the form that `answer-form.ts` decided.
 */
import type { Call, ResultText } from '../dispatch/call.ts'
import type { Cancellation } from '../dispatch/cancellation.ts'
import { ACCESS_ENDED, failureOutcome } from '../dispatch/failure.ts'
import { Suspension } from '../dispatch/journal/suspension.ts'
import { type Answer, internalError, type Outcome } from '../dispatch/outcome.ts'
import { errorBody, resultBody, textOf } from '../dispatch/response-text.ts'
import { withDeadline } from '../platform/deadline.ts'
import { passTurns } from '../platform/microtask-turns.ts'
import { utf8Length } from '../platform/utf8.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { RequestMessage } from '../protocol/json-rpc.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import { type CallForm, sendsEvents, startsAsJson } from './answer-form.ts'
import { onDisconnect } from './disconnect.ts'
import type { DefinedExchange } from './exchange.ts'
import { jsonResponse, outcomeResponse, sseResponse } from './respond.ts'
import type { ResponseStream } from './sse/response-stream.ts'
import { watchAuthorization } from './watch-authorization.ts'

/** The status of a stream. */
const OK = 200

interface SlowCall {
  readonly call: Call
  readonly outcome: Promise<Outcome>
  readonly form: CallForm
  /** Undefined for the form `json`. */
  readonly stream: ResponseStream | undefined
}

export async function answerSlowCall(
  exchange: DefinedExchange,
  { id, method }: RequestMessage,
  { call, outcome, form, stream }: SlowCall,
): Promise<Response> {
  const { endpoint, request, waitUntil, extraHeaders, recording } = exchange
  const { cancellation } = call.run
  const { codec } = call.target.dispatcher
  const { revision } = codec
  const isModern = revision.era === 'modern'
  const answered = outcome.then((settled) => {
    recording?.settle(settled)
    return settled instanceof Suspension ? askInAnswer(codec, call, settled) : settled
  })
  if (isModern) onDisconnect(request, () => abandon(cancellation, stream))
  else waitUntil(answered)
  if (stream === undefined) return outcomeResponse(exchange, revision, id, await answered)
  if (startsAsJson(form)) {
    await withDeadline(endpoint.limits.streamAfterMs, Promise.race([answered, stream.opened]))
  }
  if (!stream.isOpen && (await passTurns('answer', answered))) {
    const settled = await answered
    // An error before the stream has opened has its own HTTP status, regardless of the form.
    if (startsAsJson(form) || settled instanceof ProtocolError) {
      return outcomeResponse(exchange, revision, id, settled)
    }
  }
  const body = stream.open()
  recording?.continueAfterResponse()
  const { promise: revoked, resolve: revoke } = Promise.withResolvers<Answer>()
  const stopWatching = watchAuthorization(exchange, (why) => {
    if (why === 'unchecked') {
      // Nothing says that the caller has lost its access: only the stream ends.
      void stream.close()
      if (isModern) cancellation.cancel('access-revoked')
      return
    }
    revoke(failureOutcome(codec, method, ACCESS_ENDED))
    recording?.cancelled('access-revoked')
    cancellation.cancel('access-revoked')
  })
  const finished = Promise.race([answered, revoked])
    .then((settled) => {
      const text =
        settled instanceof ProtocolError
          ? errorBody(id, settled, codec)
          : textOf(resultBody(id, settled))
      if (recording !== undefined) recording.event.bytesOut = utf8Length(text)
      return stream.end(text)
    })
    .finally(() => {
      recording?.finish(OK)
      recording?.streamEnded()
      stopWatching()
    })
  waitUntil(finished)
  return sendsEvents(form) ? sseResponse(body, extraHeaders) : jsonResponse(body, extraHeaders)
}

/** Returns the asks of a suspended handler as the answer, if the revision has such an answer. */
async function askInAnswer(
  codec: Codec,
  call: Call,
  suspension: Suspension,
): Promise<ResultText | ProtocolError> {
  const { rounds } = call.deployment.extensions
  if (codec.inputRequiredText === undefined || rounds === undefined) {
    return internalError(call, new TypeError(`${codec.revision.id} cannot ask in an answer`))
  }
  try {
    const { requests, uploads } = suspension
    const state = await rounds.seal(call, suspension)
    return uploads !== undefined && codec.uploadRequiredText !== undefined
      ? codec.uploadRequiredText(uploads, state)
      : codec.inputRequiredText(requests, state)
  } catch (error) {
    return error instanceof ProtocolError ? error : internalError(call, error)
  }
}

function abandon(cancellation: Cancellation, stream: ResponseStream | undefined): void {
  stream?.abandon('client-disconnected')
  cancellation.cancel('client-disconnected')
}
