/** Client secrets: 256 random bits, kept as their hash and nowhere else. */
import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'

export interface NewSecret {
  /** Told once. */
  readonly secret: string
  readonly secretHash: string
}

export async function createClientSecret(): Promise<NewSecret> {
  const secret = randomToken()
  return { secret, secretHash: await hashClientSecret(secret) }
}

/** SHA-256, base64url: enough for a secret that is random, and too little for one that people choose. */
export function hashClientSecret(secret: string): Promise<string> {
  return sha256Base64Url(secret)
}

export const SECRET_HASH = /^[\w-]{43}$/

/** Compares hashes, in a time that does not depend on where they differ. */
export async function secretMatches(secret: string, secretHash: string): Promise<boolean> {
  const given = await hashClientSecret(secret)
  if (given.length !== secretHash.length) return false
  let difference = 0
  for (let at = 0; at < given.length; at += 1) {
    difference |= given.charCodeAt(at) ^ secretHash.charCodeAt(at)
  }
  return difference === 0
}
