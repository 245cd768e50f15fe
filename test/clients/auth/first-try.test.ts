/** The requests with which hosted and local clients meet a new server, each in one test. */
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { detailsOf, headingOf, openBrowser } from './browser.ts'
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

  test.each([
    { path: '/.well-known/oauth-protected-resource/mcp', resource: '/mcp' },
    { path: '/.well-known/oauth-protected-resource', resource: '/mcp' },
    { path: '/.well-known/oauth-protected-resource/other', resource: '/other' },
    { path: '/.well-known/oauth-protected-resource/sse', resource: '/sse' },
  ])('is the resource in $path', async ({ path, resource }) => {
    verifies('authorization-discovery/protected-resource-metadata')
    const { status, body } = await getJson(path)
    expect([status, body.resource]).toEqual([200, server.origin + resource])
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

describe.each(KNOWN_APPS)('$name', (app) => {
  test('registers all of its callbacks and obtains tokens at each', async () => {
    const { status, headers, body } = await register(server.origin, metadataOf(app))
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject(metadataOf(app))
    await expectCodeFlowAtEach(server, body.client_id, app.callbacks)
  })
})

describe.each(KNOWN_APPS.filter(({ document }) => document !== undefined))('$name', (app) => {
  test('is authorized by its document and obtains tokens at each callback', async () => {
    const { document = '', callbacks, name } = app
    host.publish(document, { client_id: document, ...metadataOf(app) })
    const [redirectUri = ''] = callbacks
    const options = { origin: server.origin, clientId: document, redirectUri }
    const page = await openBrowser().open(authorizeUrl(options))
    expect(headingOf(page)).toBe(`${name} wants to connect to Edgeway fixture`)
    expect(detailsOf(page).App).toBe(new URL(document).hostname)
    await expectCodeFlowAtEach(server, document, callbacks)
  })
})

describe('the endpoint with a token', () => {
  const send = (method: string, more: Partial<RawMessage> = {}) =>
    sendMessage(server.url, { token, method, ...more })

  test.each(['*/*', 'application/json', 'text/event-stream'])(
    'answers `initialize` with `Accept: %s`',
    async (accept) => {
      const { status, headers } = await send('initialize', { ...INITIALIZE, headers: { accept } })
      expect(status).toBe(200)
      expect(headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]+$/)
    },
  )

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

  test('answers 202 without a body to a notification', async () => {
    const { headers: opened } = await send('initialize', INITIALIZE)
    const sessionId = { 'mcp-session-id': String(opened.get('mcp-session-id')) }
    const notified = await send('notifications/initialized', { headers: sessionId, id: undefined })
    const { status, headers, body } = notified
    expect([status, headers.get('content-length'), body]).toEqual([202, '0', ''])
    expect(headers.get('content-type')).toBeNull()
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
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
    const asked = ['authorization', 'mcp-protocol-version', 'mcp-param-region']
    expect(allowed).toEqual(expect.arrayContaining(asked))
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
})
