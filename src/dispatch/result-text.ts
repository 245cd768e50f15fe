/** Serialises the result of a handler within its limit. */
import type { Codec } from '../protocol/codec/codec.ts'
import type { CacheHints } from '../protocol/primitives.ts'
import type { Call } from './call.ts'
import { BadResultError } from './tool-result.ts'

/** The result has more UTF-16 code units of JSON text than `limits.resultBytes`. */
export class ResultTooLargeError extends BadResultError {
  readonly length: number
  readonly limit: number

  constructor(length: number, limit: number) {
    super(`its result has ${length} characters; limits.resultBytes is ${limit}`)
    this.length = length
    this.limit = limit
  }
}

/** @throws {BadResultError} if the result is too large */
export function resultText(
  { deployment }: Pick<Call, 'deployment'>,
  codec: Codec,
  body: object,
  cache?: CacheHints,
): string {
  const text = codec.resultText(body, cache)
  const { resultBytes } = deployment.limits
  if (text.length > resultBytes) throw new ResultTooLargeError(text.length, resultBytes)
  return text
}
