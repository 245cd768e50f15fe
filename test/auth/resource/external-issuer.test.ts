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
const JWKS = 'https://login.example/keys'
const RESOURCES = [{ resource: RESOURCE }, { resource: OTHER }]

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
    issuer: TENANT,
    jwksUri: JWKS,
    resources: { single: RESOURCES, families: [] },
    fetch,
    now: () => NOW,
    ...options,
  })
  const embedded = createEmbeddedVerifier({
    issuer: ISSUER,
    resources: { single: RESOURCES, families: [] },
    verificationKey: async (kid) => (kid === embeddedPair.kid ? embeddedPair.publicKey : undefined),
    now: () => NOW,
  })
  const checkGrant = vi.fn(async () => ({ active: true }))
  const verifiers = withEmbedded ? [embedded, external] : [external]
  return {
    checkGrant,
    ...openResource(embeddedPair, {
      resources: { single: RESOURCES, families: [] },
      verifiers,
      checkGrant,
    }),
  }
}

const foreign = (changes: Record<string, unknown> = {}) =>
  claimsOf({ iss: TENANT, gid: undefined, gk: undefined, ...changes })

describe('ResourceServer with an external issuer', () => {
  it.each([
    ['with the claims of RFC 9068', {}, {}],
    ['of the type JWT', { typ: 'JWT' }, {}],
    ['with the client as azp', {}, { client_id: undefined, azp: 'client-1' }],
    [
      'with the client as cid and scopes as a list',
      {},
      { client_id: undefined, cid: 'client-1', scope: undefined, scp: ['read'] },
    ],
    [
      'with the client as appid and scopes as scp',
      {},
      { client_id: undefined, appid: 'client-1', scope: undefined, scp: 'read' },
    ],
  ])('accepts a token %s', async (_, header, changes) => {
    verifies('jwt-access-tokens/rs256', { row: 'RS256' })
    const { present } = open()
    expect(await accepted(present(await sign(externalPair, foreign(changes), header)))).toEqual({
      subject: 'owner',
      clientId: 'client-1',
      scopes: ['read'],
      issuer: TENANT,
      resource: RESOURCE,
    })
  })

  it('accepts every key of the issuer and rejects other keys', async () => {
    verifies('jwt-access-tokens/signature-is-checked')
    const { present } = open()
    await accepted(present(await sign(rsa, foreign())))
    const message = 'The access token is not signed with a known key'
    for (const header of [{ kid: 'rsa' }, { kid: 'key-2' }]) {
      expect((await refusalOf(present(await sign(externalPair, foreign(), header)))).message).toBe(
        message,
      )
    }
    const foreignPair = await createPair('rsa', 'PS256')
    expect((await refusalOf(present(await sign(foreignPair, foreign())))).message).toBe(message)
  })

  it.each([
    [
      'without a client',
      foreign({ client_id: undefined }),
      'The access token must have client_id or azp or appid or cid',
    ],
    [
      'for another audience',
      foreign({ aud: 'client-1' }),
      'The access token was issued for another resource',
    ],
    [
      'of another issuer',
      foreign({ iss: 'https://login.example/other' }),
      'The access token is not valid: iss',
    ],
  ])('rejects a token %s', async (_, claims, message) => {
    expect((await refusalOf(open().present(await sign(externalPair, claims)))).message).toBe(
      message,
    )
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

  it.each([
    ['scope', { nonce: 'n' }],
    ['scp', { nonce: 'n', scope: undefined, scp: ['read'] }],
  ])('accepts an access token with a nonce and %s', async (_, changes) => {
    await accepted(open().present(await sign(externalPair, foreign(changes))))
  })

  it('ignores grant claims of the external issuer', async () => {
    const { present, checkGrant } = open()
    await accepted(present(await sign(externalPair, foreign({ gid: 'grant-1', gk: 'key' }))))
    expect(checkGrant.mock.calls[0]).toMatchObject([{ grantId: undefined, grantKey: undefined }])
  })

  it('accepts only the configured audience', async () => {
    const { present } = open({ audience: 'api://notes' })
    const info = await accepted(present(await sign(externalPair, foreign({ aud: 'api://notes' }))))
    expect(info.resource).toBe(RESOURCE)
    for (const aud of [RESOURCE, 'api://Notes', 'api://notes/']) {
      const token = await sign(externalPair, foreign({ aud }))
      expect((await refusalOf(present(token))).message).toBe(
        'The access token was issued for another resource',
      )
    }
  })

  it('accepts only configured algorithms and types', async () => {
    const { present } = open({ algorithms: ['ES256'], types: ['at+jwt'] })
    await accepted(present(await sign(externalPair, foreign())))
    expect((await refusalOf(present(await sign(rsa, foreign())))).status).toBe(401)
    expect(
      (await refusalOf(present(await sign(externalPair, foreign(), { typ: 'JWT' })))).status,
    ).toBe(401)
  })

  it.each([['HS256'], ['none'], ['RS1'], ['constructor']])(
    'rejects the configured algorithm %s',
    (alg) => {
      expect(() => open({ algorithms: ['ES256', alg] })).toThrow(TypeError)
    },
  )

  it('rejects a configuration without algorithms or with an issuer that is not a URL', () => {
    expect(() => open({ algorithms: [] })).toThrow(TypeError)
    for (const issuer of ['login.example', `${TENANT}#a`, `${TENANT}?a`]) {
      expect(() => open({ issuer })).toThrow(TypeError)
    }
  })
})

describe('ResourceServer while the keys of an external issuer are unavailable', () => {
  it('answers 503', async () => {
    const fetch = () => Promise.reject(new Error('unreachable'))
    const { present, events } = open({}, { fetch })
    for (const header of [{}, { kid: 'unknown' }, { kid: undefined }]) {
      const { status, challenge } = await refusalOf(
        present(await sign(externalPair, foreign(), header)),
      )
      expect([status, challenge]).toEqual([503, null])
    }
    expect(events.map(({ type }) => type)).toEqual([
      'internal-error',
      'internal-error',
      'internal-error',
    ])
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
    const { present } = open({}, { withEmbedded: true })
    const embedded = await accepted(present(await sign(embeddedPair, claimsOf())))
    const external = await accepted(present(await sign(externalPair, foreign())))
    expect([embedded.issuer, external.issuer]).toEqual([ISSUER, TENANT])
  })

  it('rejects a token that another trusted issuer signed', async () => {
    const { present } = open({}, { withEmbedded: true })
    const message = 'The signature of the access token is not valid'
    expect((await refusalOf(present(await sign(externalPair, claimsOf())))).message).toBe(message)
    expect((await refusalOf(present(await sign(embeddedPair, foreign())))).message).toBe(message)
  })

  it('rejects a token of an issuer that is not trusted', async () => {
    verifies('authorization/own-tokens-only', 'authorization/foreign-tokens-of-clients')
    const { present } = open({}, { withEmbedded: true })
    for (const iss of ['https://evil.example', '', undefined, [TENANT], 7, '__proto__']) {
      const token = await sign(externalPair, foreign({ iss }))
      expect((await refusalOf(present(token))).message).toBe(
        'The access token is from another issuer',
      )
    }
    for (const text of ['opaque', 'a.b.c', '..']) {
      expect((await refusalOf(present(text))).message).toBe('The access token is malformed')
    }
  })
})
