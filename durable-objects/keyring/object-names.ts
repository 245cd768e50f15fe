/** Names of the objects in the keyring namespace, by role. */
import { fnv1a } from '../../src/platform/fnv.ts'

/** Spreads names and principals over objects. They must be found again, so the number never changes. */
const SHARDS = 16

/** The object that holds the deployment's keys. */
export const KEYRING_NAME = 'keyring'

/** The shard that counts the sessions of one person, and lists the tasks of one principal. @param digest of either */
export function principalShard(digest: string): string {
  return `principals-${fnv1a(digest) % SHARDS}`
}

/** The shard that stores one redeemed name. */
export function redeemedNamesShard(name: string): string {
  return `redeemed-${fnv1a(name) % SHARDS}`
}
