/**
 * A `fetch` that adds DPoP (RFC 9449) to any client: a proof with every request, and tokens that are
 * bound to the key. The official clients have no DPoP support.
 */
import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface ProofOptions {
  readonly method: string
  readonly url: string
  /** The access token that accompanies the proof. */
  readonly token?: string | undefined
}

export interface DpopKey {
  readonly thumbprint: string
  prove(options: ProofOptions): Promise<string>
}

export async function createDpopKey(alg: 'ES256' | 'EdDSA' = 'ES256'): Promise<DpopKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    prove: async ({ method, url, token }) =>
      new SignJWT({
        htm: method,
        htu: url,
        jti: randomUUID(),
        ...(token !== undefined && { ath: await digestOf(token) }),
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
        .setIssuedAt()
        .sign(privateKey),
  }
}

export function createDpopFetch(key: DpopKey): typeof fetch {
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init?.headers)
    const [, token] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? []
    if (token !== undefined) headers.set('authorization', `DPoP ${token}`)
    if (token !== undefined || pathname === '/token') {
      const method = init?.method ?? 'GET'
      headers.set('dpop', await key.prove({ method, url: origin + pathname, token }))
    }
    return fetch(input, { ...init, headers })
  }
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('base64url')
}
