/** A stream outlives the request that opened it, and must not outlive what let it in. */
import type { Exchange } from './exchange.ts'

/** A revocation ends an open stream within this, and the time of a look. */
const LOOK_EVERY_MS = 30_000

/**
 * Calls back once when the caller would not be let in any more.
 *
 * @returns what ends the watch
 */
export function watchCaller({ isStillAuthorized }: Exchange, onGone: () => void): () => void {
  if (isStillAuthorized === undefined) return () => undefined
  const timer = setInterval(async () => {
    if (await isStillAuthorized()) return
    clearInterval(timer)
    onGone()
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
