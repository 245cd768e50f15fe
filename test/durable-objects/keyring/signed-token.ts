/** Tokens that are signed with the keys of a deployment. */
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { expect } from 'vitest'
import type { SigningKeys } from '../../../src/ports/signing-keys.ts'

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
