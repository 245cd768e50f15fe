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

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
const CHALLENGE = `Bearer resource_metadata="${METADATA}", scope="read"`

let pair: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  good = await sign(pair)
})

describe('ResourceServer without a token', () => {
  it('answers 401 with metadata URL and scopes, and without an error code', async () => {
    verifies('authorization/401-without-authorization', 'authorization/refusals-follow-oauth')
    verifies('authorization/status-codes', 'authorization-discovery/challenge-names-metadata')
    verifies('authorization-discovery/discovery-mechanism', 'oauth-2-1-resource-requests/challenge')
    verifies('oauth-2-1-resource-requests/bearer-scheme')
    verifies('oauth-2-1-resource-requests/parameters-once', 'bearer-tokens/challenge')
    verifies('bearer-tokens/bearer-scheme', 'bearer-tokens/attributes-once')
    const { authenticate, events } = openResource(pair)
    const { status, challenge, body, headers } = await refusalOf(authenticate())
    expect([status, challenge]).toEqual([401, CHALLENGE])
    expect(body).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'An access token is required' },
    })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(events).toEqual([
      {
        type: 'refusal',
        name: 'token-missing',
        status: 401,
        message: 'An access token is required',
      },
    ])
  })

  it('names the metadata of the requested resource, also for GET', async () => {
    const { server } = openResource(pair)
    const outcome = server.authenticate(new Request(OTHER), OTHER)
    expect(await refusalOf(outcome)).toMatchObject({
      status: 401,
      challenge: `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/other", scope="read"`,
    })
  })

  it('names the metadata of the alias when the alias was requested', async () => {
    verifies('protected-resource-metadata/metadata-of-another-resource')
    const { authenticate } = openResource(pair)
    const { challenge } = await refusalOf(authenticate({}, OLD))
    expect(challenge).toBe(
      'Bearer resource_metadata="https://old.example.net/.well-known/oauth-protected-resource/mcp", scope="read"',
    )
  })

  it.each(['https://evil.example/mcp', 'https://evil.example/'])(
    'names the configured metadata when an unknown host was requested: %s',
    async (url) => {
      const { authenticate } = openResource(pair)
      expect((await refusalOf(authenticate({}, url))).challenge).toBe(CHALLENGE)
    },
  )

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
    const { authenticate } = openResource(pair)
    expect(await refusalOf(authenticate({ authorization }))).toMatchObject({
      status: 401,
      challenge: CHALLENGE,
    })
  })
})

describe('ResourceServer with a valid token', () => {
  it('does not read it from a cookie', async () => {
    verifies('authorization/authorization-header', 'oauth-2-1-security/no-tokens-in-cookies')
    verifies('bearer-tokens/cookies')
    const { authenticate } = openResource(pair)
    const cookie = `__Host-edgeway-login=${good}; access_token=${good}`
    expect(await refusalOf(authenticate({ cookie }))).toMatchObject({
      status: 401,
      challenge: CHALLENGE,
    })
  })

  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer    '])(
    'accepts it after %j',
    async (prefix) => {
      verifies('oauth-2-1-resource-requests/authorization-header-is-supported')
      verifies('bearer-tokens/authorization-header')
      const { authenticate, events } = openResource(pair)
      const info = await accepted(authenticate({ authorization: prefix + good }))
      expect(info).toEqual({
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
    const { authenticate } = openResource(pair)
    const url = `${RESOURCE}?profile=access_token&x=1`
    expect((await accepted(authenticate({ authorization: `Bearer ${good}` }, url))).subject).toBe(
      'owner',
    )
  })
})

describe('ResourceServer with several credentials', () => {
  const error = (text: string) =>
    `${CHALLENGE}, error="invalid_request", error_description="${text}"`

  it.each([
    ['access_token=TOKEN', {}],
    ['a=b&access_token=', {}],
    ['access%5Ftoken=TOKEN', {}],
    ['access_token=TOKEN', { authorization: 'Bearer TOKEN' }],
    ['access_token=TOKEN', { authorization: 'Basic x' }],
  ])('rejects a token in the query: ?%s', async (query, headers) => {
    verifies('authorization/no-token-in-query')
    verifies('oauth-2-1-resource-requests/tokens-in-queries-of-clients')
    verifies('oauth-2-1-resource-requests/tokens-in-queries')
    verifies('oauth-2-1-resource-requests/characters-of-challenges')
    verifies('oauth-2-1-security/no-tokens-in-urls', 'oauth-security-practice/tokens-in-queries')
    const { authenticate } = openResource(pair)
    const fill = (text: string) => text.replace('TOKEN', good)
    const filled = Object.fromEntries(Object.entries(headers).map(([n, v]) => [n, fill(v)]))
    const outcome = authenticate(filled, `${RESOURCE}?${fill(query)}`)
    expect(await refusalOf(outcome)).toMatchObject({
      status: 400,
      challenge: error('An access token must not be in the query'),
      message: 'An access token must not be in the query',
    })
  })

  it.each([
    'Bearer TOKEN, Bearer TOKEN',
    'Bearer TOKEN,',
    'Basic x, Bearer TOKEN',
    'DPoP x,Bearer y',
  ])('rejects several credentials in one header: %s', async (authorization) => {
    verifies('oauth-2-1-resource-requests/one-way-to-send-a-token', 'bearer-tokens/one-method')
    const { authenticate } = openResource(pair)
    const outcome = authenticate({ authorization: authorization.replaceAll('TOKEN', good) })
    const { status, message } = await refusalOf(outcome)
    expect([status, message]).toEqual([400, 'There must be one set of credentials'])
  })

  it('rejects a repeated header', async () => {
    const { server } = openResource(pair)
    const request = new Request(RESOURCE)
    request.headers.append('authorization', `Bearer ${good}`)
    request.headers.append('authorization', `Bearer ${good}`)
    expect((await refusalOf(server.authenticate(request, RESOURCE))).status).toBe(400)
  })
})

describe('ResourceServer with malformed credentials', () => {
  it.each([
    'Bearer a b',
    'Bearer "quoted"',
    'Bearer a=b',
    'Bearer \u00e9',
    'Bearer {}',
    'Bearer =',
  ])('rejects %s as an invalid token', async (authorization) => {
    const { authenticate } = openResource(pair)
    expect(await refusalOf(authenticate({ authorization }))).toMatchObject({
      status: 401,
      challenge: `${CHALLENGE}, error="invalid_token", error_description="The access token is malformed"`,
    })
  })

  it('rejects a header of more than 8 KB without parsing the token', async () => {
    const { authenticate } = openResource(pair, {
      verificationKey: () => Promise.reject(new Error('parsed')),
    })
    const outcome = authenticate({ authorization: `Bearer ${'a'.repeat(8186)}` })
    expect(await refusalOf(outcome)).toMatchObject({
      status: 401,
      message: 'The access token is too long',
    })
    const shorter = authenticate({ authorization: `Bearer ${'a'.repeat(8185)}` })
    expect((await refusalOf(shorter)).message).toBe('The access token is malformed')
  })
})

describe('ResourceServer with an internal fault', () => {
  const UNAVAILABLE = 'Authorization cannot be checked at the moment'

  it('answers 503 without details when the keys are unavailable', async () => {
    const fault = new Error('canary: the object is gone')
    const { present, events } = openResource(pair, {
      verificationKey: () => Promise.reject(fault),
    })
    const { status, challenge, body, headers } = await refusalOf(present(good))
    expect([status, challenge]).toEqual([503, null])
    expect(body).toEqual({ jsonrpc: '2.0', error: { code: -32603, message: UNAVAILABLE } })
    expect(headers.get('retry-after')).toBe('1')
    expect(events).toEqual([{ type: 'internal-error', error: fault }])
  })

  it('answers 503 when the requested resource is not configured', async () => {
    const { authenticate } = openResource(pair)
    const outcome = authenticate({ authorization: `Bearer ${good}` }, RESOURCE, `${RESOURCE}/x`)
    expect(await refusalOf(outcome)).toMatchObject({ status: 503, message: UNAVAILABLE })
  })

  it('answers 503 when the request cannot be read', async () => {
    const { server } = openResource(pair)
    const request = new Proxy(new Request(RESOURCE), {
      get() {
        throw new Error('canary')
      },
    })
    expect((await refusalOf(server.authenticate(request, RESOURCE))).status).toBe(503)
  })
})

describe('ResourceServer.insufficientScope', () => {
  it('names the needed and the granted scopes', () => {
    const { server } = openResource(pair)
    const auth = { scopes: ['openid', 'read'] }
    expect(server.insufficientScope(RESOURCE, ['write'], { auth })).toBe(
      `Bearer resource_metadata="${METADATA}", scope="read write", error="insufficient_scope", error_description="This needs the scope write"`,
    )
  })

  it('names all needed scopes, including those that are not in the table', () => {
    const { server } = openResource(pair)
    expect(server.insufficientScope(RESOURCE, ['write', 'admin'])).toBe(
      `Bearer resource_metadata="${METADATA}", scope="write admin", error="insufficient_scope", error_description="This needs the scope write admin"`,
    )
  })

  it('puts the error into the DPoP challenge for a DPoP request', () => {
    const { server } = openResource(pair)
    const request = new Request(OLD, { headers: { authorization: 'DPoP x' } })
    const where = `resource_metadata="https://old.example.net/.well-known/oauth-protected-resource/mcp", scope="write"`
    expect(server.insufficientScope(RESOURCE, ['write'], { request })).toBe(
      `Bearer ${where}, DPoP ${where}, error="insufficient_scope", error_description="This needs the scope write", algs="ES256 EdDSA"`,
    )
  })

  it('replaces characters that would end a quoted string', () => {
    verifies('bearer-tokens/attribute-characters')
    const { server } = openResource(pair)
    const text = server.insufficientScope(RESOURCE, ['a"\\\r\n\u00e9', 'b'])
    expect(text).toContain('scope="a????? b", error="insufficient_scope"')
  })
})
