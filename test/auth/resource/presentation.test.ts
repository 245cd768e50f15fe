/** How requests present tokens, and the responses to requests without exactly one token. */
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import {
  accepted,
  createPair,
  OLD,
  OTHER,
  openResource,
  RESOURCE,
  refusalOf,
  type SigningPair,
  sign,
} from './issuer.ts'

const WELL_KNOWN = '.well-known/oauth-protected-resource'
const METADATA = `https://mcp.example.com/${WELL_KNOWN}/mcp`
const challengeOf = (metadata: string, scope = 'read') =>
  `Bearer resource_metadata="${metadata}", scope="${scope}"`
const CHALLENGE = challengeOf(METADATA)

let pair: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  good = await sign(pair)
})

const present = (headers: Record<string, string> = {}, url = RESOURCE) =>
  openResource(pair).authenticate(headers, url)
const withToken = (text: string) => text.replaceAll('TOKEN', good)

describe('ResourceServer without a token', () => {
  it('answers 401 with metadata URL and scopes, and without an error code', async () => {
    verifies('authorization/401-without-authorization', 'authorization/refusals-follow-oauth')
    verifies('authorization/status-codes', 'authorization-discovery/challenge-names-metadata')
    verifies('authorization-discovery/discovery-mechanism', 'oauth-2-1-resource-requests/challenge')
    verifies('oauth-2-1-resource-requests/bearer-scheme', 'bearer-tokens/challenge')
    verifies('oauth-2-1-resource-requests/parameters-once', 'bearer-tokens/bearer-scheme')
    verifies('bearer-tokens/attributes-once')
    const { authenticate, events } = openResource(pair)
    const { status, challenge, body, headers } = await refusalOf(authenticate())
    expect([status, challenge]).toEqual([401, CHALLENGE])
    const message = 'An access token is required'
    expect(body).toEqual({ jsonrpc: '2.0', error: { code: -32600, message } })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(events).toEqual([{ type: 'refusal', name: 'token-missing', status: 401, message }])
  })

  it('names the metadata of the requested resource, also for GET', async () => {
    const outcome = openResource(pair).server.authenticate(new Request(OTHER), OTHER)
    const challenge = challengeOf(`https://mcp.example.com/${WELL_KNOWN}/other`)
    expect(await refusalOf(outcome)).toMatchObject({ status: 401, challenge })
  })

  it.each([
    ['of the alias', `https://old.example.net/${WELL_KNOWN}/mcp`, OLD],
    ['of the configuration', METADATA, 'https://evil.example/mcp'],
    ['of the configuration', METADATA, 'https://evil.example/'],
  ])('names the metadata %s, %s, when %s was requested', async (_, metadata, url) => {
    verifies('protected-resource-metadata/metadata-of-another-resource')
    expect((await refusalOf(present({}, url))).challenge).toBe(challengeOf(metadata))
  })

  it.each([
    'Basic b3duZXI6c2VjcmV0',
    'Basic b3duZXI6c2VjcmV0, Negotiate',
    'Digest username="owner", realm="mcp", uri="/mcp"',
    'Negotiate',
    'Bearer',
    'bearer ',
    'BearerX',
    '',
    'constructor x',
  ])('treats another scheme or an empty token as absent: %j', async (authorization) => {
    const refused = await refusalOf(present({ authorization }))
    expect(refused).toMatchObject({ status: 401, challenge: CHALLENGE })
  })
})

describe('ResourceServer with a valid token', () => {
  it('does not read it from a cookie', async () => {
    verifies('authorization/authorization-header', 'oauth-2-1-security/no-tokens-in-cookies')
    verifies('bearer-tokens/cookies')
    const cookie = `__Host-edgeway-login=${good}; access_token=${good}`
    const refused = await refusalOf(present({ cookie }))
    expect(refused).toMatchObject({ status: 401, challenge: CHALLENGE })
  })

  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer    '])(
    'accepts it after %j',
    async (prefix) => {
      verifies('oauth-2-1-resource-requests/authorization-header-is-supported')
      verifies('bearer-tokens/authorization-header')
      const { authenticate, events } = openResource(pair)
      expect(await accepted(authenticate({ authorization: prefix + good }))).toEqual({
        subject: 'owner',
        clientId: 'client-1',
        scopes: ['read'],
        issuer: 'https://mcp.example.com',
        resource: RESOURCE,
      })
      expect(events).toEqual([])
    },
  )

  it('accepts it with unrelated query parameters', async () => {
    const url = `${RESOURCE}?profile=access_token&x=1`
    await accepted(present({ authorization: `Bearer ${good}` }, url))
  })
})

describe('ResourceServer with several credentials', () => {
  it.each([
    ['access_token=TOKEN', undefined],
    ['a=b&access_token=', undefined],
    ['access%5Ftoken=TOKEN', undefined],
    ['access_token=TOKEN', 'Bearer TOKEN'],
    ['access_token=TOKEN', 'Basic x'],
  ])('rejects a token in the query: ?%s beside %s', async (query, header) => {
    verifies('authorization/no-token-in-query', 'oauth-2-1-security/no-tokens-in-urls')
    verifies('oauth-2-1-resource-requests/tokens-in-queries-of-clients')
    verifies('oauth-2-1-resource-requests/tokens-in-queries')
    verifies('oauth-2-1-resource-requests/characters-of-challenges')
    verifies('oauth-security-practice/tokens-in-queries')
    const headers: Record<string, string> = {}
    if (header !== undefined) headers.authorization = withToken(header)
    const message = 'An access token must not be in the query'
    expect(await refusalOf(present(headers, `${RESOURCE}?${withToken(query)}`))).toMatchObject({
      status: 400,
      challenge: `${CHALLENGE}, error="invalid_request", error_description="${message}"`,
      message,
    })
  })

  it.each([
    'Bearer TOKEN, Bearer TOKEN',
    'Bearer TOKEN,',
    'Basic x, Bearer TOKEN',
    'DPoP x,Bearer y',
  ])('rejects several credentials in one header: %s', async (authorization) => {
    verifies('oauth-2-1-resource-requests/one-way-to-send-a-token', 'bearer-tokens/one-method')
    const refused = await refusalOf(present({ authorization: withToken(authorization) }))
    const message = 'There must be one set of credentials'
    expect([refused.status, refused.message]).toEqual([400, message])
  })

  it('rejects a repeated header', async () => {
    const request = new Request(RESOURCE)
    request.headers.append('authorization', `Bearer ${good}`)
    request.headers.append('authorization', `Bearer ${good}`)
    const outcome = openResource(pair).server.authenticate(request, RESOURCE)
    expect((await refusalOf(outcome)).status).toBe(400)
  })
})

describe('ResourceServer with malformed credentials', () => {
  const MALFORMED = 'The access token is malformed'
  it.each(['a b', '"quoted"', 'a=b', '\u00e9', '{}', '='])(
    'rejects Bearer %s as an invalid token',
    async (token) => {
      expect(await refusalOf(present({ authorization: `Bearer ${token}` }))).toMatchObject({
        status: 401,
        challenge: `${CHALLENGE}, error="invalid_token", error_description="${MALFORMED}"`,
      })
    },
  )

  it('rejects a header of more than 8 KB without parsing the token', async () => {
    const { authenticate } = openResource(pair, {
      verificationKey: () => Promise.reject(new Error('parsed')),
    })
    const refusal = (length: number) =>
      refusalOf(authenticate({ authorization: `Bearer ${'a'.repeat(length)}` }))
    const message = 'The access token is too long'
    expect(await refusal(8186)).toMatchObject({ status: 401, message })
    expect((await refusal(8185)).message).toBe(MALFORMED)
  })
})

describe('ResourceServer with an internal fault', () => {
  const UNAVAILABLE = 'Authorization cannot be checked at the moment'

  it('answers 503 without details when the keys are unavailable', async () => {
    const error = new Error('canary: the object is gone')
    const opened = openResource(pair, { verificationKey: () => Promise.reject(error) })
    const { status, challenge, body, headers } = await refusalOf(opened.present(good))
    expect([status, challenge]).toEqual([503, null])
    expect(body).toEqual({ jsonrpc: '2.0', error: { code: -32603, message: UNAVAILABLE } })
    expect(headers.get('retry-after')).toBe('1')
    expect(opened.events).toEqual([{ type: 'internal-error', error }])
  })

  it('answers 503 when the requested resource is not configured, or the request cannot be read', async () => {
    const { authenticate, server } = openResource(pair)
    const outcome = authenticate({ authorization: `Bearer ${good}` }, RESOURCE, `${RESOURCE}/x`)
    expect(await refusalOf(outcome)).toMatchObject({ status: 503, message: UNAVAILABLE })
    const request = new Proxy(new Request(RESOURCE), {
      get() {
        throw new Error('canary')
      },
    })
    expect((await refusalOf(server.authenticate(request, RESOURCE))).status).toBe(503)
  })
})

describe('ResourceServer.insufficientScope', () => {
  const insufficient = (scope: string) =>
    `error="insufficient_scope", error_description="This needs the scope ${scope}"`

  it.each([
    ['the granted scopes too', ['write'], ['openid', 'read'], 'read write', 'write'],
    [
      'scopes that are not in the table',
      ['write', 'admin'],
      undefined,
      'write admin',
      'write admin',
    ],
  ])('names the needed scopes, and %s', (_, needed, granted, scope, missing) => {
    const { server } = openResource(pair)
    const caller = granted === undefined ? {} : { auth: { scopes: granted } }
    const challenge = `${challengeOf(METADATA, scope)}, ${insufficient(missing)}`
    expect(server.insufficientScope(RESOURCE, needed, caller)).toBe(challenge)
  })

  it('puts the error into the DPoP challenge for a DPoP request', () => {
    const request = new Request(OLD, { headers: { authorization: 'DPoP x' } })
    const bearer = challengeOf(`https://old.example.net/${WELL_KNOWN}/mcp`, 'write')
    expect(openResource(pair).server.insufficientScope(RESOURCE, ['write'], { request })).toBe(
      `${bearer}, ${bearer.replace('Bearer', 'DPoP')}, ${insufficient('write')}, algs="ES256 EdDSA"`,
    )
  })

  it('replaces characters that would end a quoted string', () => {
    verifies('bearer-tokens/attribute-characters')
    const text = openResource(pair).server.insufficientScope(RESOURCE, ['a"\\\r\n\u00e9', 'b'])
    expect(text).toContain('scope="a????? b", error="insufficient_scope"')
  })
})
