/** What every `SigningKeys` does. `create` opens another deployment each time, or gives another isolate of one. */
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

/** Whether whoever has these keys accepts the token, by its key id and by the published list alike. */
export async function verifies(keys: SigningKeys, token: string): Promise<boolean> {
  const key = await keys.verificationKey(kidOf(token))
  const list = createLocalJWKSet({ keys: [...(await keys.jwks()).keys] })
  const accepts = async (by: Promise<unknown>) => by.then(() => true).catch(() => false)
  const byId = key !== undefined && (await accepts(jwtVerify(token, key, { algorithms })))
  expect(await accepts(jwtVerify(token, list, { algorithms }))).toBe(byId)
  return byId
}

export function testSigningKeys(name: string, create: () => SigningKeys): void {
  describe(`${name}: a signing key`, () => {
    it('signs what every key holder of the deployment verifies, and nobody elsewhere', async () => {
      const keys = create()
      const token = await sign(keys)
      expect(await verifies(keys, token)).toBe(true)
      const elsewhere = create()
      await elsewhere.signingKey()
      expect(await verifies(elsewhere, token)).toBe(false)
    })

    it('cannot be taken out of the isolate', async () => {
      const { key } = await create().signingKey()
      expect(key).toMatchObject({ extractable: false, type: 'private', usages: ['sign'] })
      expect(key.algorithm).toMatchObject({ name: 'ECDSA', namedCurve: 'P-256' })
      await expect(crypto.subtle.exportKey('jwk', key)).rejects.toThrow()
    })

    it('is published without anything private', async () => {
      const keys = create()
      const { kid } = await keys.signingKey()
      const point = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
      expect(await keys.jwks()).toStrictEqual({
        keys: [{ kid, alg: 'ES256', use: 'sig', kty: 'EC', crv: 'P-256', x: point, y: point }],
      })
      const verifying = await keys.verificationKey(kid)
      expect(verifying).toMatchObject({ type: 'public', usages: ['verify'] })
    })

    it.each(['', 'AAAAAAAA', 'toString', '__proto__', '0'])('is not %j', async (kid) => {
      expect(await create().verificationKey(kid)).toBeUndefined()
    })
  })
}
