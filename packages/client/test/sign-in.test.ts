/** The client of authorization, against answers that a test writes. */
import { describe, expect, it } from 'vitest'
import type { ClientRequest, SendRequest } from '../src/client-http.ts'
import { discover } from '../src/discover.ts'
import { isSignInError, signInError } from '../src/mcp-error.ts'
import { beginAuthorization, codeGrant, codeIn, register, requestTokens } from '../src/sign-in.ts'

const ORIGIN = 'https://mcp.example.com'
const RESOURCE = { resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] }
const SERVER = {
  issuer: ORIGIN,
  authorization_endpoint: `${ORIGIN}/authorize`,
  token_endpoint: `${ORIGIN}/token`,
  registration_endpoint: `${ORIGIN}/register`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
}

type Documents = Readonly<Record<string, object | number>>

const CORRECT: Documents = {
  '/.well-known/oauth-protected-resource/mcp': RESOURCE,
  '/.well-known/oauth-authorization-server': SERVER,
  '/register': { client_id: 'client-1' },
  '/token': { access_token: 'token-1', refresh_token: 'refresh-1' },
}

/** Serves documents by their paths, and a status for a number. */
function serve(changes: Documents = {}) {
  const documents = { ...CORRECT, ...changes }
  const requests: ClientRequest[] = []
  const send: SendRequest = async (request) => {
    requests.push(request)
    const found = documents[request.url.pathname] ?? 404
    return typeof found === 'number'
      ? { status: found, text: '<p>a page</p>' }
      : { status: 200, text: JSON.stringify(found) }
  }
  return { send, requests }
}

const discoverAt = (send: SendRequest, challenge = {}) =>
  discover(send, { url: new URL(`${ORIGIN}/mcp`), challenge, checkUrl: () => undefined })

const problemOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => (isSignInError(error) ? error.message : error),
  )

describe('the discovery of an authorization server', () => {
  it('requests the document that the challenge names first', async () => {
    const { send, requests } = serve({ '/elsewhere': RESOURCE })
    await discoverAt(send, { resource_metadata: `${ORIGIN}/elsewhere` })
    expect(requests.map(({ url }) => url.pathname)).toEqual([
      '/elsewhere',
      '/.well-known/oauth-authorization-server',
    ])
  })

  it('requests the document of the host when that of the path is absent', async () => {
    const { send } = serve({
      '/.well-known/oauth-protected-resource/mcp': 404,
      '/.well-known/oauth-protected-resource': RESOURCE,
    })
    expect((await discoverAt(send)).issuer).toBe(ORIGIN)
  })

  it('requests the next document when the host of one cannot be reached', async () => {
    const { send } = serve()
    const sendTo: SendRequest = (request) =>
      request.url.hostname === 'gone.example'
        ? Promise.reject(signInError('gone.example cannot be reached'))
        : send(request)
    const challenge = { resource_metadata: 'https://gone.example/metadata' }
    expect((await discoverAt(sendTo, challenge)).issuer).toBe(ORIGIN)
  })

  it('reads the OpenID configuration when the server has no other metadata', async () => {
    const { send } = serve({
      '/.well-known/oauth-authorization-server': 404,
      '/.well-known/openid-configuration': SERVER,
    })
    expect((await discoverAt(send)).namesIssuer).toBe(true)
  })

  it('has the scopes of the challenge, otherwise those of the resource', async () => {
    const { send } = serve({
      '/.well-known/oauth-protected-resource/mcp': { ...RESOURCE, scopes_supported: ['a', 'b', 1] },
    })
    expect((await discoverAt(send, { scope: 'read' })).scope).toBe('read')
    expect((await discoverAt(send)).scope).toBe('a b')
  })

  it.each([
    [
      'no metadata of the resource',
      { '/.well-known/oauth-protected-resource/mcp': 500 },
      /answered 500; .*answered 404$/,
    ],
    [
      'metadata of another resource',
      {
        '/.well-known/oauth-protected-resource/mcp': {
          ...RESOURCE,
          resource: 'https://other.example/mcp',
        },
      },
      /is of "https:\/\/other\.example\/mcp"/,
    ],
    [
      'no authorization server',
      { '/.well-known/oauth-protected-resource/mcp': { ...RESOURCE, authorization_servers: [] } },
      /names no authorization server/,
    ],
    [
      'metadata of another issuer',
      { '/.well-known/oauth-authorization-server': { ...SERVER, issuer: 'https://evil.example' } },
      /of the issuer "https:\/\/evil\.example"/,
    ],
    [
      'an authorization endpoint elsewhere without iss',
      {
        '/.well-known/oauth-authorization-server': {
          ...SERVER,
          authorization_endpoint: 'https://evil.example/authorize',
          authorization_response_iss_parameter_supported: false,
        },
      },
      /has another origin/,
    ],
    [
      'no PKCE',
      {
        '/.well-known/oauth-authorization-server': {
          ...SERVER,
          code_challenge_methods_supported: ['plain'],
        },
      },
      /does not support PKCE with S256/,
    ],
  ] as const)('ends with %s', async (_, documents, problem) => {
    expect(await problemOf(discoverAt(serve(documents).send))).toMatch(problem)
  })

  it('asks the program before it connects to an issuer or uses an endpoint', async () => {
    const { send, requests } = serve()
    const asked: string[] = []
    const checkUrl = ({ href }: URL) => void asked.push(href)
    const url = new URL(`${ORIGIN}/mcp`)
    const server = await discover(send, { url, challenge: {}, checkUrl })
    server.endpoint('token_endpoint')
    expect(asked).toEqual([`${ORIGIN}/`, `${ORIGIN}/token`])
    const refusing = () => {
      throw signInError('not there')
    }
    const before = requests.length
    const refused = discover(send, { url, challenge: {}, checkUrl: refusing })
    expect(await problemOf(refused)).toBe('not there')
    expect(requests.length - before).toBe(1)
  })
})

describe('the authorization code flow of a client', () => {
  it('sends a challenge, and exchanges the code with its verifier', async () => {
    const { send, requests } = serve()
    const server = await discoverAt(send)
    const redirectUri = 'http://127.0.0.1:1/callback'
    const { clientId } = await register(send, server, 'a test', redirectUri)
    const request = await beginAuthorization(server, clientId, redirectUri, 'read')
    const { searchParams } = request.url
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
      resource: `${ORIGIN}/mcp`,
      scope: 'read',
    })
    expect(searchParams.get('code_challenge')).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(request.verifier).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const response = new URLSearchParams({ code: 'c', state: request.state, iss: ORIGIN })
    const grant = codeGrant(codeIn(response, request), request.verifier, redirectUri)
    const tokenEndpoint = new URL(`${ORIGIN}/token`)
    const tokens = await requestTokens(
      send,
      { tokenEndpoint, clientId, resource: server.resource },
      grant,
    )
    expect(tokens).toEqual({ accessToken: 'token-1', refreshToken: 'refresh-1' })
    const form = new URLSearchParams(requests.at(-1)?.body)
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      code_verifier: request.verifier,
      redirect_uri: redirectUri,
      client_id: 'client-1',
      resource: `${ORIGIN}/mcp`,
    })
  })

  const SECRET = { client_id: 'client:1', client_secret: 'a b' }
  const BASIC = `Basic ${btoa('client%3A1:a%20b')}`

  it.each([
    ['client_secret_basic', ['client_secret_basic'], BASIC, undefined],
    ['client_secret_basic', undefined, BASIC, undefined],
    [undefined, undefined, BASIC, undefined],
    [undefined, ['client_secret_post', 'client_secret_basic'], BASIC, undefined],
    ['client_secret_post', ['client_secret_basic', 'client_secret_post'], undefined, 'a b'],
    ['client_secret_post', ['client_secret_basic'], BASIC, undefined],
    ['none', ['client_secret_post'], undefined, 'a b'],
    ['none', ['client_secret_post', 'none'], undefined, undefined],
  ])(
    'authenticates with a secret that was registered for %s at a server that lists %s',
    async (method, methods, authorization, secret) => {
      const { send, requests } = serve({
        '/register': { ...SECRET, token_endpoint_auth_method: method },
        '/.well-known/oauth-authorization-server': {
          ...SERVER,
          token_endpoint_auth_methods_supported: methods,
        },
      })
      const server = await discoverAt(send)
      const client = await register(send, server, 'a test', 'http://127.0.0.1:1/callback')
      const tokenEndpoint = new URL(`${ORIGIN}/token`)
      await requestTokens(send, { ...client, tokenEndpoint, resource: server.resource }, {})
      const form = new URLSearchParams(requests.at(-1)?.body)
      expect(requests.at(-1)?.headers.authorization).toBe(authorization)
      expect(form.get('client_secret') ?? undefined).toBe(secret)
      expect(form.get('client_id')).toBe(authorization === undefined ? 'client:1' : null)
    },
  )

  it.each([
    ['another state', { code: 'c', state: 'other', iss: ORIGIN }, /another state/],
    ['another issuer', { code: 'c', state: 's', iss: 'https://evil.example' }, /of the issuer/],
    ['no issuer', { code: 'c', state: 's' }, /has no iss/],
    ['an error', { error: 'access_denied', state: 's', iss: ORIGIN }, /refused: access_denied/],
  ])('rejects an authorization response with %s', (_, parameters, problem) => {
    const pending = { state: 's', verifier: 'v', issuer: ORIGIN, namesIssuer: true }
    expect(() => codeIn(new URLSearchParams(parameters), pending)).toThrow(problem)
  })

  it.each([429, 503, 400])('has the status of a token endpoint that answers %i', async (status) => {
    const { send } = serve({ '/token': status })
    const client = { tokenEndpoint: new URL(`${ORIGIN}/token`), clientId: 'c', resource: 'r' }
    const error = await requestTokens(send, client, { grant_type: 'refresh_token' }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ name: 'McpError', reason: 'sign-in-failed', status })
  })

  it('rejects an access token that no header can have', async () => {
    const { send } = serve({ '/token': { access_token: 'a\r\nb' } })
    const client = { tokenEndpoint: new URL(`${ORIGIN}/token`), clientId: 'c', resource: 'r' }
    expect(await problemOf(requestTokens(send, client, {}))).toMatch(/no access token/)
  })
})
