/** Serialises the result of a handler within its limit. */
import type { Codec } from '../protocol/codec/codec.ts'
import type { CacheHints } from '../protocol/primitives.ts'
import type { Call } from './call.ts'
import { checkLength } from './tool-result.ts'

/** @throws {RunError} if the result is too large */
export function resultText(
  { deployment }: Pick<Call, 'deployment'>,
  codec: Codec,
  body: object,
  cache?: CacheHints,
): string {
  const text = codec.resultText(body, cache)
  checkLength(text.length, deployment.limits.resultBytes)
  return text
}
