/** Which shard of the hub serves which subject. */
import { encodeBase64 } from '../../src/platform/base64.ts'
import { sha256 } from '../../src/platform/digest.ts'
import { fnv1a } from '../../src/platform/fnv.ts'

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

/** The platform accepts tags of at most 256 bytes. The prefix takes one. */
const MAX_PLAIN_BYTES = 255

/**
 * Returns `=` and the subject while it fits a tag, else `#` and its SHA-256 digest. The prefixes keep
 * the two forms apart, and both apart from every other tag.
 */
export async function subjectKey(subject: string): Promise<string> {
  const bytes = new TextEncoder().encode(subject)
  // UTF-8 encodes all lone surrogates alike, and two subjects must never share a tag.
  if (bytes.byteLength <= MAX_PLAIN_BYTES && subject.isWellFormed()) return `=${subject}`
  const units = Uint16Array.from(subject, (_, index) => subject.charCodeAt(index))
  return `#${encodeBase64(await sha256(new Uint8Array(units.buffer)))}`
}
