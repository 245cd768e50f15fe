/** Signatures of access tokens. `hostile-tokens.test.ts` has the forged ones. */
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { SignatureAlgorithm } from '../../../src/auth/resource/algorithms.ts'
import { hasValidSignature, parseJws, payloadOf, signJws } from '../../../src/auth/resource/jws.ts'

const ALGORITHMS: readonly SignatureAlgorithm[] = [
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256'] as const),
  ...(['RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
]

const parsed = (text: string) => {
  const jws = parseJws(text)
  if (jws === undefined) throw new Error('Not a JWS')
  return jws
}

describe('a signature', () => {
  it.each(ALGORITHMS)(
    'of %s by another library is valid, and invalid for other text',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
      const text = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg }).sign(privateKey)
      const jws = parsed(text)
      expect(payloadOf(jws)).toEqual({ sub: 'ada' })
      expect(await hasValidSignature(jws, publicKey, alg)).toBe(true)
      const other = { ...jws, signed: jws.signed.replace('.', '.A') }
      expect(await hasValidSignature(other, publicKey, alg)).toBe(false)
      const short = { ...jws, signature: jws.signature.slice(1) }
      expect(await hasValidSignature(short, publicKey, alg)).toBe(false)
      const { publicKey: stranger } = await generateKeyPair(alg, { extractable: true })
      expect(await hasValidSignature(jws, stranger, alg)).toBe(false)
    },
  )
})

describe('a JWS that this server signs', () => {
  it('is verified by another library', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const text = await signJws(
      { typ: 'at+jwt', kid: 'k', alg: 'ES256' },
      { sub: 'Zoë 🚀' },
      privateKey,
    )
    const { payload, protectedHeader } = await jwtVerify(text, publicKey)
    expect(payload).toEqual({ sub: 'Zoë 🚀' })
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    expect(await exportJWK(publicKey)).toMatchObject({ crv: 'P-256' })
  })
})

describe('a text', () => {
  it.each([
    ['that is empty', ''],
    ['with two parts', 'e30.e30'],
    ['with an empty signature', 'e30.e30.'],
    ['with four parts', 'e30.e30.AAAA.AAAA'],
    ['with padding', 'e30=.e30.AAAA'],
    ['with a line break', 'e30.e30.AA\nAA'],
    ['with unused bits in the signature', 'e30.e30.AAB'],
    ['with a header that is no JSON', 'eDA.e30.AAAA'],
    ['with a header that is a list', 'W10.e30.AAAA'],
    ['with a header that is no UTF-8', '_w.e30.AAAA'],
  ])('%s is no JWS', (_, text) => {
    expect(parseJws(text)).toBeUndefined()
  })

  it.each(['', 'eDA', 'W10', 'bnVsbA', '_w', 'e30='])(
    'with the payload %j has no claims',
    (payload) => {
      expect(payloadOf({ signed: `e30.${payload}` })).toBeUndefined()
    },
  )
})
