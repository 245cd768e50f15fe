/** The signature algorithms that can be configured, each with the form of its keys. All are asymmetric. */

import type { JsonObject } from '../../protocol/json.ts'

interface KeyShape {
  readonly name: string
  readonly namedCurve?: string
  readonly hash?: string
}

const SHAPES = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  EdDSA: { name: 'Ed25519' },
  Ed25519: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384' },
  PS512: { name: 'RSA-PSS', hash: 'SHA-512' },
} as const satisfies Record<string, KeyShape>

export type SignatureAlgorithm = keyof typeof SHAPES

/**
 * Algorithms of assertions: those of clients that authenticate with `private_key_jwt`, and identity
 * assertions of trusted providers. `Ed25519` is the name that RFC 9864 gives to `EdDSA` with that curve;
 * signers use either for the same key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-5
 */
export const ASSERTION_ALGORITHMS = [
  'ES256',
  'RS256',
  'PS256',
  'EdDSA',
  'Ed25519',
] as const satisfies readonly SignatureAlgorithm[]

/**
 * Imports a key for an algorithm. Rejects for a key of another kind, and for one of the other use. Members that
 * only describe the key are dropped, except `key_ops`, which may exclude the use.
 */
export function importJwk(
  jwk: JsonObject,
  algorithm: SignatureAlgorithm,
  use: 'sign' | 'verify',
): Promise<CryptoKey> {
  const { alg: _alg, use: _use, ext: _ext, key_ops = [use], ...key } = jwk
  const shape: KeyShape = SHAPES[algorithm]
  return crypto.subtle.importKey(
    'jwk',
    key as unknown as JsonWebKey,
    shape,
    true,
    key_ops as string[],
  )
}

/** The parameters of a signature for Web Crypto. @see https://www.rfc-editor.org/rfc/rfc7518#section-3 */
export function signatureParams(
  algorithm: SignatureAlgorithm,
): Parameters<SubtleCrypto['verify']>[0] {
  const { name }: KeyShape = SHAPES[algorithm]
  if (name === 'Ed25519') return { name }
  const bits = Number(algorithm.slice(2))
  // The salt is as long as the hash (RFC 7518 §3.5).
  return { name, hash: `SHA-${bits}`, ...(name === 'RSA-PSS' && { saltLength: bits / 8 }) }
}

/** @see https://www.rfc-editor.org/rfc/rfc7518#section-3.3 */
const MIN_MODULUS_BITS = 2048

/**
 * Checks configured algorithms. With a symmetric algorithm, an attacker who knows the public key could
 * sign tokens; `none` requires no key at all.
 *
 * @throws {TypeError} for an empty list, and for an algorithm that is unknown or not asymmetric
 */
export function checkAlgorithms(algorithms: readonly string[]): ReadonlySet<SignatureAlgorithm> {
  if (algorithms.length === 0) throw new TypeError('At least one signature algorithm must be named')
  for (const algorithm of algorithms) {
    if (!Object.hasOwn(SHAPES, algorithm)) {
      throw new TypeError(`The signature algorithm "${algorithm}" is unknown or not asymmetric`)
    }
  }
  return new Set(algorithms as readonly SignatureAlgorithm[])
}

/**
 * Whether a key is a public key of this algorithm. The token's header names the algorithm, and a key
 * that was published for one algorithm must never verify a signature of another.
 */
export function isKeyFor(algorithm: SignatureAlgorithm, key: CryptoKey): boolean {
  const { name, namedCurve, hash }: KeyShape = SHAPES[algorithm]
  const actual = key.algorithm as {
    readonly name: string
    readonly namedCurve?: string
    readonly hash?: { readonly name: string }
    readonly modulusLength?: number
  }
  return (
    // Only public keys of these algorithms have this usage.
    key.usages.includes('verify') &&
    actual.name === name &&
    actual.namedCurve === namedCurve &&
    actual.hash?.name === hash &&
    (hash === undefined || (actual.modulusLength ?? 0) >= MIN_MODULUS_BITS)
  )
}
