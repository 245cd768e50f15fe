/** Names that are used once: which object keeps which, and when it forgets them. */

/** Redeeming is spread over as many objects, so that no single one sees every seal that is used. */
const SHARDS = 16

export const MAX_NAME_LENGTH = 256

/** Names are forgotten in batches: at most one alarm per shard in this time. */
export const PURGE_DELAY_MS = 60_000

/** The instance that keeps a name. A name must be found again, so the count of shards is for ever. */
export function redeemedShardOf(name: string): string {
  return `redeemed-${fnv1a(name) % SHARDS}`
}

/** @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
