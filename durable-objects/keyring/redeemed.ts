/** Names that are used once: which object keeps which, and when it forgets them. */
import { fnv1a } from '../../src/platform/fnv.ts'

/** Redeeming is spread over as many objects, so that no single one sees every seal that is used. */
const SHARDS = 16

export const MAX_NAME_LENGTH = 256

/** Names are forgotten in batches: at most one alarm per shard in this time. */
export const PURGE_DELAY_MS = 60_000

/** The instance that keeps a name. A name must be found again, so the count of shards is for ever. */
export function redeemedShardOf(name: string): string {
  return `redeemed-${fnv1a(name) % SHARDS}`
}
