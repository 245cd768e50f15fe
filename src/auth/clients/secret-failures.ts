/**
 * Throttles wrong client secrets, per client and network and in this isolate alone. A right secret always
 * passes, so wrong ones of a neighbour cannot lock out the client: guessing is prevented by the length of
 * secrets (256 random bits), and the throttle bounds the load and makes attacks visible.
 */
import { clientAddress } from '../../platform/client-network.ts'
import { parseIpAddress } from '../../platform/ip-address.ts'
import { LruMap } from '../../platform/lru-map.ts'

/** Wrong secrets that are answered at once. */
const FREE_FAILURES = 10
/** Failures are counted for this long after the last one, or after the wait that it caused. */
const WINDOW_MS = 15 * 60_000
/** Each further failure doubles the wait. */
const FIRST_WAIT_MS = 15_000
const LONGEST_WAIT_MS = 15 * 60_000
const MAX_COUNTS = 1_000

interface Count {
  readonly failures: number
  readonly waitUntil: number
}

/** Counts a wrong secret. Returns how many seconds the client has to wait, or undefined if it need not. */
export type CountFailure = (clientId: string, headers: Headers) => number | undefined

export function createSecretFailures(clock: () => number): CountFailure {
  const counts = new LruMap<Count>(MAX_COUNTS)
  return (clientId, headers) => {
    const now = clock()
    const key = `${networkOf(headers)} ${clientId}`
    const known = counts.get(key)
    const wait = (known?.waitUntil ?? 0) - now
    // Not counted: otherwise wrong secrets could extend the wait without end.
    if (wait > 0) return Math.ceil(wait / 1000)
    const isRecent = known !== undefined && now < known.waitUntil + WINDOW_MS
    const failures = isRecent ? known.failures + 1 : 1
    const waits = failures - FREE_FAILURES
    const waitMs = waits < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS)
    counts.set(key, { failures, waitUntil: now + waitMs })
    return undefined
  }
}

/** The IPv4 address or the IPv6 /64 of a request. The platform sets the header on Cloudflare. */
function networkOf(headers: Headers): string {
  const bytes = parseIpAddress(clientAddress(headers) ?? '')
  return bytes === undefined ? 'unknown' : bytes.slice(0, bytes.length === 4 ? 4 : 8).join('.')
}
