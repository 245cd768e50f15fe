/** Client secrets: 256 random bits, stored only as their hash. */
import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'
import { isSameText } from '../../platform/same-text.ts'

export interface NewSecret {
  /** Returned to the client once, and not stored. */
  readonly secret: string
  readonly secretHash: string
}

export async function createClientSecret(): Promise<NewSecret> {
  const secret = randomToken()
  return { secret, secretHash: await hashClientSecret(secret) }
}

/** SHA-256 as base64url: sufficient for a random secret, but not for a password. */
export function hashClientSecret(secret: string): Promise<string> {
  return sha256Base64Url(secret)
}

export const SECRET_HASH = /^[\w-]{43}$/

/** Compares hashes in constant time. No secret matches the hash of a client without one. */
export async function secretMatches(
  secret: string,
  secretHash: string | undefined,
): Promise<boolean> {
  return secretHash !== undefined && isSameText(await hashClientSecret(secret), secretHash)
}
