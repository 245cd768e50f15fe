/** Objects of this namespace that are nobody's account: so many of each role, by the hash of a key. */

const SHARDS = 16

export function shardOf(role: 'throttle' | 'documents', hash: string): string {
  return `${role}-${hash.charCodeAt(0) % SHARDS}`
}
