/** Results of the extension, which have the members of a modern result in every revision. */
import type { Call } from '../../dispatch/call.ts'
import { resultText } from '../../dispatch/result-text.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import type { CacheHints } from '../../protocol/primitives.ts'

/** @throws {BadResultError} if the result is too large */
export function answerText(call: Call, codec: Codec, body: object, cache?: CacheHints): string {
  if (codec.revision.era === 'modern') return resultText(call, codec, body, cache)
  return resultText(call, codec, { ...body, resultType: 'complete', ...cache })
}
