/** Waits for the lease of a grant: one request of the deployment at a time asks the provider about it. */
import { delay } from '../../platform/deadline.ts'

/** Together longer than one request has the lease, which are 15 seconds. */
const MAX_CHECKS = 64
const CHECK_INTERVAL_MS = 250

/**
 * Asks until there is an answer. Undefined when another request has the lease for too long.
 *
 * @param ask undefined while another request has the lease
 */
export async function waitForLease<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let check = 1; ; check++) {
    const answer = await ask()
    if (answer !== undefined || check === MAX_CHECKS) return answer
    await delay(CHECK_INTERVAL_MS)
  }
}
