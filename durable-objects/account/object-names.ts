/** Names of the objects in the account namespace, by role. */
import { sha256Base64Url } from '../../src/platform/digest.ts'

/** Shards per role. Documents and counters must be found again, so the number never changes. */
const SHARDS = 16

/** A SHA-256 digest in base64url. Names of shards are shorter. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{43}$/

/** The digest of a subject, throttle key or URL. JSON keeps lone surrogates distinct, which UTF-8 does not. */
export function digestOfText(text: string): Promise<string> {
  return sha256Base64Url(JSON.stringify(text))
}

/** The account of one subject. A list never has the JSON of a text, so realms have names of their own. */
export function accountName(subject: string, realm?: string): Promise<string> {
  return realm === undefined
    ? digestOfText(subject)
    : sha256Base64Url(JSON.stringify([realm, subject]))
}

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
