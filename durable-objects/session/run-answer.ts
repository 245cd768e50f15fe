/** What became of a run, as the text of its answer. */
import { failureOutcome } from '../../src/dispatch/failure.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Outcome } from '../../src/dispatch/outcome.ts'
import { errorBody, resultBody, textOf } from '../../src/dispatch/response-text.ts'
import type { SessionAnswer } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import { InsufficientScopeError, ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { Run } from './run.ts'

/** Undefined while there is none. */
export function answerOf(
  { request: { id }, outcome, cancelledByClient }: Run,
  codec: Codec,
): SessionAnswer | undefined {
  if (outcome === undefined || outcome instanceof Suspension) return undefined
  if (cancelledByClient) {
    return { body: answerText(id, failureOutcome(codec, '', 'The request was cancelled'), codec) }
  }
  if (outcome instanceof ProtocolError) {
    const body = errorBody(id, outcome, codec)
    return outcome instanceof InsufficientScopeError
      ? { body, missingScopes: outcome.scopes }
      : { body }
  }
  return { body: resultBody(id, outcome) }
}

export function answerText(id: RequestId, outcome: Outcome, codec: Codec): string {
  if (outcome instanceof Suspension) throw new TypeError('A question is no answer')
  return outcome instanceof ProtocolError
    ? errorBody(id, outcome, codec)
    : textOf(resultBody(id, outcome))
}
