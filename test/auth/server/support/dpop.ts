/** A key of a client, and proofs that the client holds it. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export class DpopKey {
  readonly jkt: string
  readonly #key: CryptoKey
  readonly #jwk: JWK

  private constructor(key: CryptoKey, jwk: JWK, jkt: string) {
    this.#key = key
    this.#jwk = jwk
    this.jkt = jkt
  }

  static async create(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey)
    const jwk = { kty, crv, x, y }
    return new DpopKey(privateKey, jwk, await calculateJwkThumbprint(jwk))
  }

  /** The header with a new proof for the token endpoint, changed by `claims`. */
  async proof(claims: Readonly<Record<string, unknown>> = {}): Promise<{ readonly dpop: string }> {
    const proof = new SignJWT({
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: 'https://mcp.example.com/token',
      iat: Math.floor(Date.now() / 1000),
      ...claims,
    })
    const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: this.#jwk }
    return { dpop: await proof.setProtectedHeader(header).sign(this.#key) }
  }
}
