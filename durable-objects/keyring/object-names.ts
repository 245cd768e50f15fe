/** Names of the objects in the keyring namespace, by role. */

/** Spreads redeemed names over objects. A name must be found again, so the number never changes. */
const SHARDS = 16

/** The object that holds the deployment's keys. */
export const KEYRING_NAME = 'keyring'

/** The shard that stores one redeemed name. */
export function redeemedNamesShard(name: string): string {
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
