/** How a token may be presented, and what is said to whoever presents none, several, or no token at all. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  admitted,
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
const ASKS = `Bearer resource_metadata="${METADATA}", scope="read"`

let pair: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  good = await sign(pair)
})

describe('without a token', () => {
  it('is told where to get one and which scopes to ask for, and of no error', async () => {
    const { authenticate, events } = openResource(pair)
    const { status, challenge, body, headers } = await refusalOf(authenticate())
    expect([status, challenge]).toEqual([401, ASKS])
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

  it('is the same for GET, and for each resource its own', async () => {
    const { server } = openResource(pair)
    const outcome = server.authenticate(new Request(OTHER), OTHER)
    expect(await refusalOf(outcome)).toMatchObject({
      status: 401,
      challenge: `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/other", scope="read"`,
    })
  })

  it('points to the document of the old address where that is the one called', async () => {
    const { authenticate } = openResource(pair)
    const { challenge } = await refusalOf(authenticate({}, OLD))
    expect(challenge).toBe(
      'Bearer resource_metadata="https://old.example.net/.well-known/oauth-protected-resource/mcp", scope="read"',
    )
  })

  it.each(['https://evil.example/mcp', 'https://evil.example/'])(
    'points to no address that was not configured: %s',
    async (url) => {
      const { authenticate } = openResource(pair)
      expect((await refusalOf(authenticate({}, url))).challenge).toBe(ASKS)
    },
  )

  it.each([
    'Basic b3duZXI6c2VjcmV0',
    'Negotiate',
    'Bearer',
    'bearer ',
    'BearerX',
    '',
    'constructor x',
  ])('is what another scheme or no token amounts to: %j', async (authorization) => {
    const { authenticate } = openResource(pair)
    expect(await refusalOf(authenticate({ authorization }))).toMatchObject({
      status: 401,
      challenge: ASKS,
    })
  })
})

describe('a good token', () => {
  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer    '])('is taken after %j', async (prefix) => {
    const { authenticate, events } = openResource(pair)
    const info = await admitted(authenticate({ authorization: prefix + good }))
    expect(info).toEqual({
      subject: 'owner',
      clientId: 'client-1',
      scopes: ['read'],
      issuer: 'https://mcp.example.com',
      resource: RESOURCE,
    })
    expect(events).toEqual([])
  })

  it('is taken beside a query that is none of its business', async () => {
    const { authenticate } = openResource(pair)
    const url = `${RESOURCE}?profile=access_token&x=1`
    expect((await admitted(authenticate({ authorization: `Bearer ${good}` }, url))).subject).toBe(
      'owner',
    )
  })
})

describe('more than one presentation', () => {
  const error = (text: string) => `${ASKS}, error="invalid_request", error_description="${text}"`

  it.each([
    ['access_token=TOKEN', {}],
    ['a=b&access_token=', {}],
    ['access%5Ftoken=TOKEN', {}],
    ['access_token=TOKEN', { authorization: 'Bearer TOKEN' }],
    ['access_token=TOKEN', { authorization: 'Basic x' }],
  ])('is refused in the query: ?%s', async (query, headers) => {
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
  ])('is refused in the header: %s', async (authorization) => {
    const { authenticate } = openResource(pair)
    const outcome = authenticate({ authorization: authorization.replaceAll('TOKEN', good) })
    const { status, message } = await refusalOf(outcome)
    expect([status, message]).toEqual([400, 'There must be one set of credentials'])
  })

  it('is refused where the header is sent twice', async () => {
    const { server } = openResource(pair)
    const request = new Request(RESOURCE)
    request.headers.append('authorization', `Bearer ${good}`)
    request.headers.append('authorization', `Bearer ${good}`)
    expect((await refusalOf(server.authenticate(request, RESOURCE))).status).toBe(400)
  })
})

describe('what cannot be a token', () => {
  it.each([
    'Bearer a b',
    'Bearer "quoted"',
    'Bearer a=b',
    'Bearer \u00e9',
    'Bearer {}',
    'Bearer =',
  ])('is an invalid token: %s', async (authorization) => {
    const { authenticate } = openResource(pair)
    expect(await refusalOf(authenticate({ authorization }))).toMatchObject({
      status: 401,
      challenge: `${ASKS}, error="invalid_token", error_description="The access token is malformed"`,
    })
  })

  it('is an invalid token from 8 KB on, before anybody looks into it', async () => {
    const { authenticate } = openResource(pair, {
      verificationKey: () => Promise.reject(new Error('looked into')),
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

describe('a fault of ours', () => {
  const UNAVAILABLE = 'Authorization cannot be checked at the moment'

  it('is 503 when the keys cannot be had, with nothing said of why', async () => {
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

  it('is 503 for a resource that was not configured', async () => {
    const { authenticate } = openResource(pair)
    const outcome = authenticate({ authorization: `Bearer ${good}` }, RESOURCE, `${RESOURCE}/x`)
    expect(await refusalOf(outcome)).toMatchObject({ status: 503, message: UNAVAILABLE })
  })

  it('is 503 for a request that cannot be read', async () => {
    const { server } = openResource(pair)
    const request = new Proxy(new Request(RESOURCE), {
      get() {
        throw new Error('canary')
      },
    })
    expect((await refusalOf(server.authenticate(request, RESOURCE))).status).toBe(503)
  })
})

describe('the challenge for a missing scope', () => {
  it('names what is needed and what is held, under the metadata of the resource', () => {
    const { server } = openResource(pair)
    const auth = { scopes: ['openid', 'read'] }
    expect(server.insufficientScope(RESOURCE, ['write'], { auth })).toBe(
      `Bearer resource_metadata="${METADATA}", scope="read write", error="insufficient_scope", error_description="This needs the scope write"`,
    )
  })

  it('names every scope at once, also those that no author has described', () => {
    const { server } = openResource(pair)
    expect(server.insufficientScope(RESOURCE, ['write', 'admin'])).toBe(
      `Bearer resource_metadata="${METADATA}", scope="write admin", error="insufficient_scope", error_description="This needs the scope write admin"`,
    )
  })

  it('belongs to DPoP for a caller that uses it', () => {
    const { server } = openResource(pair)
    const request = new Request(OLD, { headers: { authorization: 'DPoP x' } })
    const where = `resource_metadata="https://old.example.net/.well-known/oauth-protected-resource/mcp", scope="write"`
    expect(server.insufficientScope(RESOURCE, ['write'], { request })).toBe(
      `Bearer ${where}, DPoP ${where}, error="insufficient_scope", error_description="This needs the scope write", algs="ES256 EdDSA"`,
    )
  })

  it('cannot be broken out of', () => {
    const { server } = openResource(pair)
    const text = server.insufficientScope(RESOURCE, ['a"\\\r\n\u00e9', 'b'])
    expect(text).toContain('scope="a????? b", error="insufficient_scope"')
  })
})
