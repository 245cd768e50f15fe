/**
 * Results of the extensions of 2026-07-28, which have the members of a modern result in every revision: a client that
 * uses an extension in a session reads the same results.
 */
import type { Codec } from '../protocol/codec/codec.ts'
import type { CacheHints } from '../protocol/primitives.ts'
import type { Call } from './call.ts'
import { resultText } from './result-text.ts'

/** @throws {RunError} if the result is too large */
export function answerText(call: Call, codec: Codec, body: object, cache?: CacheHints): string {
  if (codec.revision.era === 'modern') return resultText(call, codec, body, cache)
  return resultText(call, codec, { ...body, resultType: 'complete', ...cache })
}
