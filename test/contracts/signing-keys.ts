/** The contract of `SigningKeys`. `create` opens a new deployment each time. */
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'

const algorithms = ['ES256']

export async function sign(keys: SigningKeys): Promise<string> {
  const { kid, key } = await keys.signingKey()
  return new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'ES256', kid }).sign(key)
}

export const kidOf = (token: string): string =>
  JSON.parse(atob(token.split('.')[0]?.replaceAll('-', '+').replaceAll('_', '/') ?? '')).kid

/** Whether the token isAccepted, with the key of its id and with the published key set alike. */
export async function isAccepted(keys: SigningKeys, token: string): Promise<boolean> {
  const key = await keys.verificationKey(kidOf(token))
  const list = createLocalJWKSet({ keys: [...(await keys.jwks()).keys] })
  const succeeds = async (verification: Promise<unknown>) =>
    verification.then(() => true).catch(() => false)
  const byId = key !== undefined && (await succeeds(jwtVerify(token, key, { algorithms })))
  expect(await succeeds(jwtVerify(token, list, { algorithms }))).toBe(byId)
  return byId
}

export function testSigningKeys(name: string, create: () => SigningKeys): void {
  describe(`${name}: the contract`, () => {
    it('a token isAccepted in its own deployment and in no other', async () => {
      const keys = create()
      const token = await sign(keys)
      expect(await isAccepted(keys, token)).toBe(true)
      const elsewhere = create()
      await elsewhere.signingKey()
      expect(await isAccepted(elsewhere, token)).toBe(false)
    })

    it('the private key is not extractable', async () => {
      const { key } = await create().signingKey()
      expect(key).toMatchObject({ extractable: false, type: 'private', usages: ['sign'] })
      expect(key.algorithm).toMatchObject({ name: 'ECDSA', namedCurve: 'P-256' })
      await expect(crypto.subtle.exportKey('jwk', key)).rejects.toThrow()
    })

    it('the published keys contain no private member', async () => {
      const keys = create()
      const { kid } = await keys.signingKey()
      const point = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
      expect(await keys.jwks()).toStrictEqual({
        keys: [{ kid, alg: 'ES256', use: 'sig', kty: 'EC', crv: 'P-256', x: point, y: point }],
      })
      const verifying = await keys.verificationKey(kid)
      expect(verifying).toMatchObject({ type: 'public', usages: ['verify'] })
    })

    it.each(['', 'AAAAAAAA', 'toString', '__proto__', '0'])(
      'there is no verification key for the key id %j',
      async (kid) => {
        expect(await create().verificationKey(kid)).toBeUndefined()
      },
    )
  })
}
