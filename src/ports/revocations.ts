/** Revocations of many grants at once: the times before which everything issued has ended. */
import { sha256Base64Url } from '../platform/digest.ts'

/** Times are epoch milliseconds. */
export interface Revocations {
  /** Everything that was issued before this time has ended. 0 when nothing was revoked. */
  readonly validFrom: number
  /** The same for single clients, by the digest of the client id. */
  readonly clients: Readonly<Record<string, number>>
}

export const NO_REVOCATIONS: Revocations = { validFrom: 0, clients: {} }

/**
 * How far in the future the times are that a revocation writes. Isolates read revocations ten seconds late,
 * and the clocks of objects differ: what is issued meanwhile with something stolen ends too.
 */
export const REVOCATION_MARGIN_MS = 30_000

/** A client id may be a kilobyte of sealed metadata, and every isolate reads the list of revoked clients. */
export function clientDigest(clientId: string): Promise<string> {
  return sha256Base64Url(JSON.stringify(clientId))
}

/** The time before which everything that was issued to a client has ended. */
export async function validFromOf(
  { validFrom, clients }: Revocations,
  clientId: string,
): Promise<number> {
  if (Object.keys(clients).length === 0) return validFrom
  return Math.max(validFrom, clients[await clientDigest(clientId)] ?? 0)
}
