/** A PKCE pair (RFC 7636 §4). */
import { createHash, randomBytes } from 'node:crypto'

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const randomState = (): string => randomBytes(16).toString('base64url')
