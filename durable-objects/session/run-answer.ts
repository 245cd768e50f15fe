/** The answer of a run as a JSON-RPC response. */
import { failureOutcome } from '../../src/dispatch/failure.ts'
import type { Answer } from '../../src/dispatch/outcome.ts'
import { errorBody, resultBody, textOf } from '../../src/dispatch/response-text.ts'
import type { SessionAnswer } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import { InsufficientScopeError, ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { SessionRequest } from './session-run.ts'

/** The answer as the call that brought the request returns it. */
export function replyOf(id: RequestId, answer: Answer, codec: Codec): SessionAnswer {
  if (!(answer instanceof ProtocolError)) return { body: resultBody(id, answer) }
  const body = errorBody(id, answer, codec)
  return answer instanceof InsufficientScopeError
    ? { body, missingScopes: answer.scopes }
    : { body }
}

/** The answer as a log holds it. */
export function answerText(id: RequestId, answer: Answer, codec: Codec): string {
  return textOf(replyOf(id, answer, codec).body)
}

/** A call without a stream must return one response for each request, cancelled ones included. */
export function cancelledReply({ id }: SessionRequest, codec: Codec): SessionAnswer {
  return replyOf(id, failureOutcome(codec, '', 'The request was cancelled'), codec)
}
