/** A trusted identity provider in memory, which signs identity assertions and publishes its keys. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { NOW_SECONDS } from './deployment.ts'
import { interceptOutbound } from './outbound.ts'

export const PROVIDER = 'https://idp.example.com'

export interface AssertionChanges {
  /** Undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

export class IdentityProvider {
  /** Replaces the key set. */
  keySet: (() => Response) | undefined
  readonly #key: CryptoKey
  readonly #jwk: object

  private constructor(key: CryptoKey, jwk: object) {
    this.#key = key
    this.#jwk = jwk
  }

  /** Answers outbound requests until the test is over. */
  static async start(): Promise<IdentityProvider> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' }
    const provider = new IdentityProvider(privateKey, jwk)
    interceptOutbound((url) => {
      if (url === `${PROVIDER}/.well-known/oauth-authorization-server`) {
        return Response.json({ issuer: PROVIDER, jwks_uri: `${PROVIDER}/keys` })
      }
      if (url !== `${PROVIDER}/keys`) return new Response(null, { status: 404 })
      return provider.keySet?.() ?? Response.json({ keys: [provider.#jwk] })
    })
    return provider
  }

  /** An assertion for the client `machine` at this server. */
  sign({ claims = {}, header = {} }: AssertionChanges = {}): Promise<string> {
    const all = {
      iss: PROVIDER,
      sub: 'ada',
      aud: 'https://mcp.example.com',
      client_id: 'machine',
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 300,
      jti: crypto.randomUUID(),
      ...claims,
    }
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt', kid: 'key-1', ...header })
      .sign(this.#key)
  }
}
