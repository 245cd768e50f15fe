/** Which object has a redeemed name, the sessions and tasks of a principal, the guesses of a key, or a document. */
import { fnv1a } from '../../src/platform/fnv.ts'

/** Spreads names and principals over objects. They must be found again, so the number never changes. */
const SHARDS = 16

/** The key of the object. @param text a digest, or a name to redeem */
export function shardOf(text: string): string {
  return String(fnv1a(text) % SHARDS)
}

/** The key of the one object with the keys of the deployment. */
export const KEYRING_KEY = ''
