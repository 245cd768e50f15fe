/** Ends streams whose caller is no longer authorized: a stream must not outlive the grant behind it. */
import type { Exchange } from './exchange.ts'

/** A revoked grant ends an open stream after this time and the duration of one check. */
const CHECK_INTERVAL_MS = 30_000

/**
 * Checks in a row that may fail before the stream ends: ten minutes. An object that is away for a moment
 * ends no stream. An invocation that has used up its subrequests fails in every check from then on; the
 * client opens the stream again, and is checked by a new one.
 *
 * @see https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const MAX_FAILED_CHECKS = 20

/**
 * Calls back once when the caller is no longer authorized, or could not be checked for ten minutes.
 *
 * @returns a function that stops the checks
 */
export function watchAuthorization(
  { isStillAuthorized, endpoint }: Pick<Exchange, 'isStillAuthorized' | 'endpoint'>,
  onEnd: (why: 'revoked' | 'unchecked') => void,
): () => void {
  if (isStillAuthorized === undefined) return () => undefined
  let failed = 0
  const check = async (): Promise<'revoked' | 'unchecked' | undefined> => {
    try {
      const isAuthorized = await isStillAuthorized()
      failed = 0
      return isAuthorized ? undefined : 'revoked'
    } catch (error) {
      endpoint.report({ type: 'internal-error', error })
      failed++
      return failed >= MAX_FAILED_CHECKS ? 'unchecked' : undefined
    }
  }
  const timer = setInterval(async () => {
    const why = await check()
    if (why === undefined) return
    clearInterval(timer)
    onEnd(why)
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(timer)
}
