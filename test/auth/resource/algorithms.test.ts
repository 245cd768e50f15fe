import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  checkAlgorithms,
  isKeyFor,
  type SignatureAlgorithm,
} from '../../../src/auth/resource/algorithms.ts'

const ALL: readonly SignatureAlgorithm[] = [
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256'] as const),
  ...(['RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
]

describe('isKeyFor', () => {
  it.each(ALL)('accepts a key of %s for no other algorithm', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg)
    const accepting = ALL.filter((other) => isKeyFor(other, publicKey))
    // Two names for one algorithm.
    const names = ['EdDSA', 'Ed25519']
    expect(accepting).toEqual(names.includes(alg) ? names : [alg])
    expect(ALL.filter((other) => isKeyFor(other, privateKey))).toEqual([])
  })

  it('rejects a key without the usage verify', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = (await exportJWK(publicKey)) as JsonWebKey
    const params = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await crypto.subtle.importKey('jwk', jwk, params, true, [])
    expect(isKeyFor('ES256', key)).toBe(false)
  })
})

describe('checkAlgorithms', () => {
  it.each(['none', 'HS256', 'HS384', 'HS512', 'dir', 'RSA-OAEP', 'RS1', 'es256', '', 'toString'])(
    'rejects the configured algorithm %j',
    (alg) => {
      expect(() => checkAlgorithms([alg])).toThrow(TypeError)
    },
  )
})
