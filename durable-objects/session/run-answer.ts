/** The answer of a run as a JSON-RPC response. */
import type { Answer } from '../../src/dispatch/outcome.ts'
import { errorBody, resultBody } from '../../src/dispatch/response-text.ts'
import type { SessionAnswer } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'

/** The answer as the call that brought the request returns it. */
export function replyOf(id: RequestId, answer: Answer, codec: Codec): SessionAnswer {
  if (!(answer instanceof ProtocolError)) return { body: resultBody(id, answer) }
  const body = errorBody(id, answer, codec)
  const { missingScopes } = answer
  return missingScopes ? { body, missingScopes } : { body }
}
