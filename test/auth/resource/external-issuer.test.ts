/** Issuers elsewhere: chosen by name, verified with their own keys, and believed in nothing that is ours. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createEmbeddedVerifier } from '../../../src/auth/resource/embedded-issuer.ts'
import {
  createExternalVerifier,
  type ExternalIssuerOptions,
} from '../../../src/auth/resource/external-issuer.ts'
import {
  admitted,
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

let own: SigningPair
let theirs: SigningPair
let rsa: SigningPair
beforeAll(async () => {
  own = await createPair('key-1')
  theirs = await createPair('key-1')
  rsa = await createPair('rsa', 'RS256')
})

const keySet = () => Response.json({ keys: [theirs.jwk, rsa.jwk] })

/** A resource that trusts the issuer elsewhere, and the embedded one beside it if asked to. */
function open(
  options: Partial<ExternalIssuerOptions> = {},
  { fetch = async () => keySet(), beside = false } = {},
) {
  const external = createExternalVerifier({
    issuer: TENANT,
    jwksUri: JWKS,
    resources: RESOURCES,
    fetch,
    now: () => NOW,
    ...options,
  })
  const embedded = createEmbeddedVerifier({
    issuer: ISSUER,
    resources: RESOURCES,
    verificationKey: async (kid) => (kid === own.kid ? own.publicKey : undefined),
    now: () => NOW,
  })
  const checkGrant = vi.fn(async () => ({ active: true }))
  const verifiers = beside ? [embedded, external] : [external]
  return { checkGrant, ...openResource(own, { resources: RESOURCES, verifiers, checkGrant }) }
}

const foreign = (changes: Record<string, unknown> = {}) =>
  claimsOf({ iss: TENANT, gid: undefined, gk: undefined, ...changes })

describe('a token from elsewhere', () => {
  it.each([
    ['as the profile has it', {}, {}],
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
  ])('is good %s', async (_, header, changes) => {
    const { present } = open()
    expect(await admitted(present(await sign(theirs, foreign(changes), header)))).toEqual({
      subject: 'owner',
      clientId: 'client-1',
      scopes: ['read'],
      issuer: TENANT,
      resource: RESOURCE,
    })
  })

  it('is good under each of its keys, and of no key that it does not have', async () => {
    const { present } = open()
    await admitted(present(await sign(rsa, foreign())))
    const message = 'The access token is not signed with a known key'
    for (const header of [{ kid: 'rsa' }, { kid: 'key-2' }]) {
      expect((await refusalOf(present(await sign(theirs, foreign(), header)))).message).toBe(
        message,
      )
    }
    const stranger = await createPair('rsa', 'PS256')
    expect((await refusalOf(present(await sign(stranger, foreign())))).message).toBe(message)
  })

  it.each([
    [
      'of no client',
      foreign({ client_id: undefined }),
      'The access token must say client_id or azp or appid or cid',
    ],
    [
      'for somebody else',
      foreign({ aud: 'client-1' }),
      'The access token was issued for another resource',
    ],
    [
      'of another tenant',
      foreign({ iss: 'https://login.example/other' }),
      'The access token is not valid here or now: iss',
    ],
  ])('is refused %s', async (_, claims, message) => {
    expect((await refusalOf(open().present(await sign(theirs, claims)))).message).toBe(message)
  })

  it('says nothing of our grants', async () => {
    const { present, checkGrant } = open()
    await admitted(present(await sign(theirs, foreign({ gid: 'grant-1', gk: 'key' }))))
    expect(checkGrant.mock.calls[0]).toMatchObject([{ grantId: undefined, grantKey: undefined }])
  })

  it('says its own word for the resource where that is configured, and then no other', async () => {
    const { present } = open({ audience: 'api://notes' })
    const info = await admitted(present(await sign(theirs, foreign({ aud: 'api://notes' }))))
    expect(info.resource).toBe(RESOURCE)
    for (const aud of [RESOURCE, 'api://Notes', 'api://notes/']) {
      const token = await sign(theirs, foreign({ aud }))
      expect((await refusalOf(present(token))).message).toBe(
        'The access token was issued for another resource',
      )
    }
  })

  it('is signed as configured', async () => {
    const { present } = open({ algorithms: ['ES256'], types: ['at+jwt'] })
    await admitted(present(await sign(theirs, foreign())))
    expect((await refusalOf(present(await sign(rsa, foreign())))).status).toBe(401)
    expect((await refusalOf(present(await sign(theirs, foreign(), { typ: 'JWT' })))).status).toBe(
      401,
    )
  })

  it.each([['HS256'], ['none'], ['RS1'], ['constructor']])(
    'cannot be configured to be signed with %s',
    (alg) => {
      expect(() => open({ algorithms: ['ES256', alg] })).toThrow(TypeError)
    },
  )

  it('needs an algorithm and an issuer that is a URL', () => {
    expect(() => open({ algorithms: [] })).toThrow(TypeError)
    expect(() => open({ issuer: 'login.example' })).toThrow(TypeError)
  })
})

describe('keys that cannot be had', () => {
  it('are 503, never 401 and never a way in', async () => {
    const fetch = () => Promise.reject(new Error('unreachable'))
    const { present, events } = open({}, { fetch })
    for (const header of [{}, { kid: 'unknown' }, { kid: undefined }]) {
      const { status, challenge } = await refusalOf(present(await sign(theirs, foreign(), header)))
      expect([status, challenge]).toEqual([503, null])
    }
    expect(events.map(({ type }) => type)).toEqual([
      'internal-error',
      'internal-error',
      'internal-error',
    ])
  })

  it('are not asked for because of what is no token of that issuer', async () => {
    const fetch = vi.fn(async () => keySet())
    const { present } = open({}, { fetch })
    for (const text of ['opaque', 'a.b.c', await sign(theirs, foreign(), { typ: 'other' })]) {
      expect((await refusalOf(present(text))).status).toBe(401)
    }
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('several issuers', () => {
  it('each verify their own', async () => {
    const { present } = open({}, { beside: true })
    const mine = await admitted(present(await sign(own, claimsOf())))
    const other = await admitted(present(await sign(theirs, foreign())))
    expect([mine.issuer, other.issuer]).toEqual([ISSUER, TENANT])
  })

  it('do not sign for one another', async () => {
    const { present } = open({}, { beside: true })
    const message = 'The signature of the access token is not valid'
    expect((await refusalOf(present(await sign(theirs, claimsOf())))).message).toBe(message)
    expect((await refusalOf(present(await sign(own, foreign())))).message).toBe(message)
  })

  it('leave out everybody else', async () => {
    const { present } = open({}, { beside: true })
    for (const iss of ['https://evil.example', '', undefined, [TENANT], 7, '__proto__']) {
      const token = await sign(theirs, foreign({ iss }))
      expect((await refusalOf(present(token))).message).toBe(
        'The access token is from another issuer',
      )
    }
    for (const text of ['opaque', 'a.b.c', '..']) {
      expect((await refusalOf(present(text))).message).toBe('The access token is malformed')
    }
  })
})
