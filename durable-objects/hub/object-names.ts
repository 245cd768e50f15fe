/** Names of the hub's shards, and which shard serves which subject. */
import { fnv1a } from '../../src/platform/fnv.ts'

export function shardName(shard: number): string {
  return `hub-${shard}`
}

export function randomShard(shards: number): number {
  return Math.floor(Math.random() * shards)
}

/**
 * The shard of a subject: every listener of the subject is on it, whichever isolate opened it.
 *
 * @param key from `subjectKey`
 */
export function shardOfSubject(key: string, shards: number): number {
  return fnv1a(key) % shards
}
