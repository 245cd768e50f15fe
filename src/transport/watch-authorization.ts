/** Ends streams whose caller is no longer authorized: a stream must not outlive the grant behind it. */
import type { Exchange } from './exchange.ts'

/** A revoked grant ends an open stream after this time and the duration of one check. */
const CHECK_INTERVAL_MS = 30_000

/**
 * Calls back once when the caller is no longer authorized.
 *
 * @returns a function that stops the checks
 */
export function watchAuthorization(
  { isStillAuthorized }: Exchange,
  onRevoked: () => void,
): () => void {
  if (isStillAuthorized === undefined) return () => undefined
  const timer = setInterval(async () => {
    if (await isStillAuthorized()) return
    clearInterval(timer)
    onRevoked()
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(timer)
}
