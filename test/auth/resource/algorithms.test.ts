/** Which keys go with which algorithm. */
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  checkAlgorithms,
  isKeyFor,
  type SignatureAlgorithm,
} from '../../../src/auth/resource/algorithms.ts'

const ALL: readonly SignatureAlgorithm[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]

describe('a key', () => {
  it.each(ALL)('for %s is for nothing else', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg)
    const fits = ALL.filter((other) => isKeyFor(other, publicKey))
    // Two names for one algorithm.
    const names = ['EdDSA', 'Ed25519']
    expect(fits).toEqual(names.includes(alg) ? names : [alg])
    expect(ALL.filter((other) => isKeyFor(other, privateKey))).toEqual([])
  })

  it('that may not verify is for nothing', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = (await exportJWK(publicKey)) as JsonWebKey
    const params = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await crypto.subtle.importKey('jwk', jwk, params, true, [])
    expect(isKeyFor('ES256', key)).toBe(false)
  })
})

it.each(['none', 'HS256', 'HS384', 'HS512', 'dir', 'RSA-OAEP', 'RS1', 'es256', '', 'toString'])(
  'cannot be configured: %j',
  (alg) => {
    expect(() => checkAlgorithms([alg])).toThrow(TypeError)
  },
)
