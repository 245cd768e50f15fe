/**
 * Builds the outcome of a request that ended before its handler: an error result for `tools/call`, which the
 * model reads, and a JSON-RPC error for other methods.
 */
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Answer } from './outcome.ts'
import { textResult } from './tool-result.ts'

/** What a client reads when its access ends before its call. */
export const ACCESS_ENDED =
  'The access of the caller has ended before this call was complete. Connect again, and check before repeating the call.'

export function failureOutcome(codec: Codec, method: string, text: string): Answer {
  return method === 'tools/call'
    ? codec.resultText(codec.callToolResult(textResult(text, true)))
    : new ProtocolError(ErrorCode.internalError, text)
}
