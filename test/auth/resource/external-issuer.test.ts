/** Access tokens of external issuers: which are accepted, beside and without the embedded issuer. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createExternalVerifier,
  type ExternalIssuerOptions,
} from '../../../src/auth/resource/external-issuer.ts'
import { createEmbeddedVerifier } from '../../../src/auth/resource/token-verifier.ts'
import { verifies } from '../../support/verifies.ts'
import {
  accepted,
  claimsOf,
  createPair,
  ISSUER,
  NOW,
  OTHER,
  openResource,
  RESOURCE,
  refusalOf,
  type SigningPair,
  sign,
} from './issuer.ts'

const TENANT = 'https://login.example/tenant'
const resources = { single: [{ resource: RESOURCE }, { resource: OTHER }], families: [] }

let embeddedPair: SigningPair
let externalPair: SigningPair
let rsa: SigningPair
beforeAll(async () => {
  embeddedPair = await createPair('key-1')
  externalPair = await createPair('key-1')
  rsa = await createPair('rsa', 'RS256')
})

const keySet = () => Response.json({ keys: [externalPair.jwk, rsa.jwk] })

/** A resource that trusts the external issuer, and the embedded one if `withEmbedded` is set. */
function open(
  options: Partial<ExternalIssuerOptions> = {},
  { fetch = async () => keySet(), withEmbedded = false } = {},
) {
  const external = createExternalVerifier({
    ...{ issuer: TENANT, jwksUri: 'https://login.example/keys' },
    ...{ resources, fetch, now: () => NOW },
    ...options,
  })
  const embedded = createEmbeddedVerifier({
    issuer: ISSUER,
    resources,
    verificationKey: async (kid) => (kid === embeddedPair.kid ? embeddedPair.publicKey : undefined),
    now: () => NOW,
  })
  const checkGrant = vi.fn(async () => ({ active: true }))
  const verifiers = withEmbedded ? [embedded, external] : [external]
  const opened = openResource(embeddedPair, { resources, verifiers, checkGrant })
  const messageOf = async (token: string | Promise<string>) =>
    (await refusalOf(opened.present(await token))).message
  return { ...opened, checkGrant, messageOf }
}

const foreign = (changes: Record<string, unknown> = {}) =>
  claimsOf({ iss: TENANT, gid: undefined, gk: undefined, ...changes })

const ELSEWHERE = 'The access token was issued for another resource'
const UNKNOWN_KEY = 'The access token is not signed with a known key'
const OTHER_ISSUER = 'The access token is from another issuer'

describe('ResourceServer with an external issuer', () => {
  const NO_ID = { client_id: undefined }
  it.each<[string, object, Record<string, unknown>]>([
    ['with the claims of RFC 9068', {}, {}],
    ['of the type JWT', { typ: 'JWT' }, {}],
    ['with the client as azp', {}, { ...NO_ID, azp: 'client-1' }],
    [
      'with cid and a list as scp',
      {},
      { ...NO_ID, cid: 'client-1', scope: undefined, scp: ['read'] },
    ],
    ['with appid and scp', {}, { ...NO_ID, appid: 'client-1', scope: undefined, scp: 'read' }],
    ['with a nonce and scope', {}, { nonce: 'n' }],
    ['with a nonce and scp', {}, { nonce: 'n', scope: undefined, scp: ['read'] }],
  ])('accepts a token %s', async (_, header, changes) => {
    verifies('jwt-access-tokens/rs256', { row: 'RS256' })
    const { present } = open()
    expect(
      await accepted(present(await sign(externalPair, foreign(changes), { ...header }))),
    ).toEqual({
      ...{ subject: 'owner', clientId: 'client-1', scopes: ['read'] },
      ...{ issuer: TENANT, resource: RESOURCE },
    })
  })

  it('accepts every key of the issuer and rejects other keys', async () => {
    verifies('jwt-access-tokens/signature-is-checked')
    const { present, messageOf } = open()
    await accepted(present(await sign(rsa, foreign())))
    for (const kid of ['rsa', 'key-2']) {
      expect(await messageOf(sign(externalPair, foreign(), { kid }))).toBe(UNKNOWN_KEY)
    }
    const foreignPair = await createPair('rsa', 'PS256')
    expect(await messageOf(sign(foreignPair, foreign()))).toBe(UNKNOWN_KEY)
  })

  it.each([
    [
      'without a client',
      { client_id: undefined },
      'The access token must have client_id or azp or appid or cid',
    ],
    ['for another audience', { aud: 'client-1' }, ELSEWHERE],
    [
      'of another issuer',
      { iss: 'https://login.example/other' },
      'The access token is not valid: iss',
    ],
  ])('rejects a token %s', async (_, changes, message) => {
    expect(await open().messageOf(sign(externalPair, foreign(changes)))).toBe(message)
  })

  it.each([
    ['at_hash', { at_hash: 'x' }],
    ['c_hash', { c_hash: 'x' }],
    ['a nonce and no scope', { nonce: 'n', scope: undefined }],
  ])('rejects an ID token, which has %s', async (_, changes) => {
    verifies('authorization/other-tokens')
    const { present } = open()
    for (const typ of ['JWT', 'at+jwt']) {
      const refusal = await refusalOf(present(await sign(externalPair, foreign(changes), { typ })))
      expect([refusal.status, refusal.message]).toEqual([401, 'The token is an ID token'])
    }
  })

  it('ignores grant claims of the external issuer', async () => {
    const { present, checkGrant } = open()
    await accepted(present(await sign(externalPair, foreign({ gid: 'grant-1', gk: 'key' }))))
    expect(checkGrant.mock.calls[0]).toMatchObject([{ grantId: undefined, grantKey: undefined }])
  })

  it('accepts only the configured audience', async () => {
    const { present, messageOf } = open({ audience: 'api://notes' })
    const info = await accepted(present(await sign(externalPair, foreign({ aud: 'api://notes' }))))
    expect(info.resource).toBe(RESOURCE)
    for (const aud of [RESOURCE, 'api://Notes', 'api://notes/']) {
      expect(await messageOf(sign(externalPair, foreign({ aud })))).toBe(ELSEWHERE)
    }
  })

  it('accepts only configured algorithms and types', async () => {
    const { present } = open({ algorithms: ['ES256'], types: ['at+jwt'] })
    await accepted(present(await sign(externalPair, foreign())))
    const other = await sign(externalPair, foreign(), { typ: 'JWT' })
    for (const token of [await sign(rsa, foreign()), other]) {
      expect((await refusalOf(present(token))).status).toBe(401)
    }
  })

  it.each<Partial<ExternalIssuerOptions>>([
    ...['HS256', 'none', 'RS1', 'constructor'].map((alg) => ({ algorithms: ['ES256', alg] })),
    { algorithms: [] },
    ...['login.example', `${TENANT}#a`, `${TENANT}?a`].map((issuer) => ({ issuer })),
  ])('rejects the configuration %j', (options) => {
    expect(() => open(options)).toThrow(TypeError)
  })
})

describe('ResourceServer while the keys of an external issuer are unavailable', () => {
  it('answers 503', async () => {
    const fetch = () => Promise.reject(new Error('unreachable'))
    const { present, events } = open({}, { fetch })
    for (const header of [{}, { kid: 'unknown' }, { kid: undefined }]) {
      const refusal = await refusalOf(present(await sign(externalPair, foreign(), header)))
      expect([refusal.status, refusal.challenge]).toEqual([503, null])
    }
    expect(events.map(({ type }) => type)).toEqual(Array(3).fill('internal-error'))
  })

  it('rejects malformed tokens without fetching keys', async () => {
    const fetch = vi.fn(async () => keySet())
    const { present } = open({}, { fetch })
    for (const text of ['opaque', 'a.b.c', await sign(externalPair, foreign(), { typ: 'other' })]) {
      expect((await refusalOf(present(text))).status).toBe(401)
    }
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('ResourceServer with several issuers', () => {
  it('verifies a token with the keys of the issuer that it names', async () => {
    const { present, messageOf } = open({}, { withEmbedded: true })
    const embedded = await accepted(present(await sign(embeddedPair, claimsOf())))
    const external = await accepted(present(await sign(externalPair, foreign())))
    expect([embedded.issuer, external.issuer]).toEqual([ISSUER, TENANT])
    const message = 'The signature of the access token is not valid'
    expect(await messageOf(sign(externalPair, claimsOf()))).toBe(message)
    expect(await messageOf(sign(embeddedPair, foreign()))).toBe(message)
  })

  it('rejects a token of an issuer that is not trusted', async () => {
    verifies('authorization/own-tokens-only', 'authorization/foreign-tokens-of-clients')
    const { messageOf } = open({}, { withEmbedded: true })
    for (const iss of ['https://evil.example', '', undefined, [TENANT], 7, '__proto__']) {
      expect(await messageOf(sign(externalPair, foreign({ iss })))).toBe(OTHER_ISSUER)
    }
    for (const text of ['opaque', 'a.b.c', '..']) {
      expect(await messageOf(text)).toBe('The access token is malformed')
    }
  })
})
