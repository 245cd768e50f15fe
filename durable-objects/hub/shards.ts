/** Which shard of the hub is whose: all lines and news of a subject meet on one. */

export function shardName(shard: number): string {
  return `hub-${shard}`
}

export function anyShard(shards: number): number {
  return Math.floor(Math.random() * shards)
}

/** FNV-1a: the same shard for the same subject in every isolate. It spreads; it protects nothing. */
export function shardOf(subject: string, shards: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < subject.length; index++) {
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0) % shards
}
