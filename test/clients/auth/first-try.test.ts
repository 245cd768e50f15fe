/** The requests with which hosted and local clients meet a new server, each in one test. */
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { answerConsent, detailsOf, headingOf, openBrowser } from './browser.ts'
import { useServerWithClientHost } from './client-host.ts'
import { KNOWN_APPS, metadataOf } from './client-table.ts'
import { authorizeUrl, expectCodeFlowAtEach, register, runCodeFlow } from './code-flow.ts'
import { type RawMessage, type RawResponse, readResponse, sendMessage } from './raw.ts'

const { server, host } = useServerWithClientHost()

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const APP = { client_name: 'By hand', redirect_uris: [REDIRECT_URI] }

const INITIALIZE = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'Anthropic', version: '1.0.0' },
  },
}

/** An access token from a code flow without a client. */
let token: string
let clientId: string

beforeAll(async () => {
  const { body } = await register(server.origin, { ...APP, token_endpoint_auth_method: 'none' })
  clientId = body.client_id
  const options = { origin: server.origin, clientId, redirectUri: REDIRECT_URI }
  token = (await runCodeFlow(options)).tokens.body.access_token
})

async function getJson(path: string): Promise<RawResponse> {
  return readResponse(await fetch(server.origin + path))
}

describe('the URL of the endpoint', () => {
  test.each(['*/*', 'application/json', 'application/json, text/event-stream'])(
    'answers 401 with metadata URL and scope to `Accept: %s`',
    async (accept) => {
      verifies('authorization-discovery/challenge-names-metadata')
      const { status, headers, body } = await sendMessage(server.url, {
        headers: { accept },
        ...INITIALIZE,
      })
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
      )
      expect(headers.get('content-type')).toBe('application/json')
      expect(body).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: 'An access token is required' },
      })
    },
  )

  test.each(['GET', 'DELETE', 'PUT'])('answers 401 with the metadata URL to %s', async (method) => {
    verifies('authorization/401-without-authorization')
    verifies('authorization-discovery/challenge-names-metadata')
    const { status, headers } = await fetch(server.url, { method })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="/)
    expect(headers.get('content-type')).toBe('application/json')
  })

  test.each([
    { path: '/.well-known/oauth-protected-resource/mcp', resource: '/mcp' },
    { path: '/.well-known/oauth-protected-resource', resource: '/mcp' },
    { path: '/.well-known/oauth-protected-resource/other', resource: '/other' },
    { path: '/.well-known/oauth-protected-resource/sse', resource: '/sse' },
  ])('is the resource in $path', async ({ path, resource }) => {
    verifies('authorization-discovery/protected-resource-metadata')
    verifies('authorization-discovery/discovery-mechanism', 'protected-resource-metadata/resource')
    verifies('protected-resource-metadata/well-known-url', 'protected-resource-metadata/response')
    const { status, headers, body } = await getJson(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toMatchObject({
      resource: server.origin + resource,
      authorization_servers: [server.origin],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    })
  })

  test('may end with a slash', async () => {
    verifies('protected-resource-metadata/resource-is-compared')
    const { status, headers } = await sendMessage(`${server.url}/`, INITIALIZE)
    expect(status).toBe(401)
    const [, metadata = ''] =
      /resource_metadata="([^"]*)"/.exec(String(headers.get('www-authenticate'))) ?? []
    const { body } = await getJson(new URL(metadata).pathname)
    expect(body.resource).toBe(server.url)
    expect((await sendMessage(`${server.url}/`, { token, ...INITIALIZE })).status).toBe(200)
  })
})

describe('the metadata of the authorization server', () => {
  const METADATA = '/.well-known/oauth-authorization-server'

  test('has every member that clients depend on', async () => {
    verifies('authorization-discovery/authorization-server-metadata')
    verifies('authorization-discovery/authorization-base-url')
    verifies('authorization-server-metadata/issuer-scheme')
    verifies('authorization-server-metadata/well-known-path')
    const { status, headers, body } = await getJson(METADATA)
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const { origin } = server
    expect(body).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    expect(body.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token']),
    )
    expect(body.token_endpoint_auth_methods_supported).toEqual(
      expect.arrayContaining(['none', 'client_secret_basic', 'client_secret_post']),
    )
    expect(body.scopes_supported).toEqual(
      expect.arrayContaining(['read', 'write', 'offline_access']),
    )
  })

  test('is the same at its OpenID address', async () => {
    verifies('authorization-discovery/authorization-server-discovery')
    verifies('authorization-security/openid-metadata-names-pkce')
    verifies('openid-connect/required-metadata')
    const [oauth, openid] = [
      await getJson(METADATA),
      await getJson('/.well-known/openid-configuration'),
    ]
    expect(openid.status).toBe(200)
    expect(openid.body).toEqual(oauth.body)
  })
})

describe.each(KNOWN_APPS)('$name', (app) => {
  test('registers all of its callbacks and obtains tokens at each', async () => {
    const { status, headers, body } = await register(server.origin, metadataOf(app))
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject(metadataOf(app))
    await expectCodeFlowAtEach(server, body.client_id, app.callbacks)
  })
})

describe('the consent page', () => {
  const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
  const CLAUDE = 'https://claude.ai/oauth/mcp-oauth-client-metadata'

  test('is shown for a hosted client with a document', async () => {
    const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
    host.publish(CLAUDE, {
      client_id: CLAUDE,
      client_name: 'Claude',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    })
    const options = { origin: server.origin, clientId: CLAUDE, redirectUri }
    const page = await openBrowser().open(authorizeUrl(options))
    expect(page.status).toBe(200)
    expect(headingOf(page)).toBe('Claude wants to connect to Edgeway fixture')
    expect(detailsOf(page).App).toBe('claude.ai')
  })

  test('has a policy that allows the redirect to the app, and no script', async () => {
    const metadata = { redirect_uris: [CURSOR], token_endpoint_auth_method: 'none' }
    const { body } = await register(server.origin, metadata)
    const options = { origin: server.origin, clientId: body.client_id, redirectUri: CURSOR }
    const response = await fetch(authorizeUrl(options))
    const policy = String(response.headers.get('content-security-policy'))
    const [, targets = ''] = /form-action ([^;]*)/.exec(policy) ?? []
    expect(targets.split(' ')).toEqual(expect.arrayContaining(["'self'", 'cursor:']))
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(await response.text()).not.toMatch(/<script/i)
  })

  test.each(['approve', 'deny'] as const)(
    'returns the issuer with the decision %s',
    async (decision) => {
      verifies('authorization/iss-is-advertised', 'oauth-2-1-security/mix-up')
      verifies('issuer-identification/iss')
      const options = { origin: server.origin, clientId, redirectUri: REDIRECT_URI }
      const callback = await answerConsent(openBrowser(), authorizeUrl(options), { decision })
      expect(callback.searchParams.get('iss')).toBe(server.origin)
    },
  )

  test('returns the issuer with an error of the request', async () => {
    verifies('authorization/iss-is-advertised', 'issuer-identification/iss')
    const options = { origin: server.origin, clientId, redirectUri: REDIRECT_URI }
    const url = authorizeUrl({ ...options, params: { response_type: 'token', state: 'kept' } })
    const { location } = await openBrowser().open(url)
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      error: 'unsupported_response_type',
      iss: server.origin,
      state: 'kept',
    })
  })
})

describe('the endpoint with a token', () => {
  const send = (method: string, more: Partial<RawMessage> = {}) =>
    sendMessage(server.url, { token, method, ...more })

  test('answers `server/discover` without a handshake', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
    const { status, body } = await send('server/discover', { headers, params: { _meta } })
    expect(status).toBe(200)
    expect(body.result.supportedVersions).toContain('2026-07-28')
    expect(body.result.capabilities.tools).toEqual({ listChanged: true })
  })

  test.each(['*/*', 'application/json', 'text/event-stream'])(
    'answers `initialize` with `Accept: %s`',
    async (accept) => {
      const { status, headers } = await send('initialize', { ...INITIALIZE, headers: { accept } })
      expect(status).toBe(200)
      expect(headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]+$/)
    },
  )

  test('lists the tools for a client that omits its session id', async () => {
    const { status, body } = await send('tools/list')
    expect(status).toBe(200)
    expect(body.result.tools.length).toBeGreaterThan(20)
  })

  test('begins the stream of a session with its opening, not with a keep-alive', async () => {
    const { headers } = await send('initialize', INITIALIZE)
    const response = await fetch(server.url, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-session-id': String(headers.get('mcp-session-id')),
      },
    })
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toMatch(/^: open\n/)
    await reader?.cancel()
  })

  test('answers 405 with Allow to a GET without a session', async () => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
    const response = await fetch(server.url, { headers })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
    await response.body?.cancel()
  })

  test('answers 202 without a body to a notification', async () => {
    const { headers: opened } = await send('initialize', INITIALIZE)
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-session-id': String(opened.get('mcp-session-id')),
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    })
    expect(response.status).toBe(202)
    expect(response.headers.get('content-length')).toBe('0')
    expect(response.headers.get('content-type')).toBeNull()
    expect(await response.text()).toBe('')
  })
})

describe('a web client such as the Inspector', () => {
  const ORIGIN = 'http://localhost:6274'

  test('receives a preflight response without a token', async () => {
    const response = await fetch(server.url, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-protocol-version,mcp-param-region',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, OPTIONS')
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'accept',
        'mcp-protocol-version',
        'mcp-session-id',
        'mcp-method',
        'mcp-name',
        'last-event-id',
        'mcp-param-region',
      ]),
    )
  })

  test('can read the challenge of a 401', async () => {
    const { status, headers } = await sendMessage(server.url, {
      headers: { origin: ORIGIN },
      ...INITIALIZE,
    })
    expect(status).toBe(401)
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['mcp-session-id', 'www-authenticate']))
  })

  test.each(['/register', '/token', '/revoke'])(
    'receives a preflight response from %s',
    async (path) => {
      const response = await fetch(server.origin + path, {
        method: 'OPTIONS',
        headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    },
  )
})
