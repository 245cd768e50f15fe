/** Names of the objects in the account namespace, by role. */
import { digestOfText } from './digest.ts'

/** Shards per role. Documents and counters must be found again, so the number never changes. */
const SHARDS = 16

/** A SHA-256 digest in base64url. Names of shards are shorter. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{43}$/

/** The account of one subject. */
export const accountName = digestOfText

export function isAccountName(name: string): boolean {
  return ACCOUNT_NAME.test(name)
}

/** The shard that counts the guesses of one hashed key. */
export function throttleName(keyDigest: string): string {
  return shardName('throttle', keyDigest)
}

/** The shard that stores the document at one URL. */
export async function documentsName(url: string): Promise<string> {
  return shardName('documents', await digestOfText(url))
}

function shardName(role: string, digest: string): string {
  return `${role}-${digest.charCodeAt(0) % SHARDS}`
}
