/** Which shard of the hub is whose: all lines and news of a subject meet on one. */
import { fnv1a } from '../../src/platform/fnv.ts'

export function shardName(shard: number): string {
  return `hub-${shard}`
}

export function anyShard(shards: number): number {
  return Math.floor(Math.random() * shards)
}

/** The same shard for the same subject in every isolate. */
export function shardOf(subject: string, shards: number): number {
  return fnv1a(subject) % shards
}
