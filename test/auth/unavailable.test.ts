/** Responses of each path of authorization while its parts cannot be built. */
import { describe, expect, it } from 'vitest'
import { type AuthConfig, embedded, external } from '../../src/auth/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openApp, type TestApp } from '../support/test-app.ts'

const ORIGIN = 'https://mcp.example.com'
const ORIGIN_UNKNOWN =
  'This server does not know its own address: set EDGEWAY_ORIGIN to its https origin'
const UNAVAILABLE = 'Authorization is not available at the moment'
const PAGE_ORIGIN = 'https://app.example'
const SCOPES = { read: 'Read your notes' }

const open = (auth: AuthConfig): TestApp =>
  openApp(
    new FullServer({ name: 'notes', version: '1.0.0' }),
    { auth, allowedOrigins: [PAGE_ORIGIN] },
    {},
  )
const send = (app: TestApp, path: string, method = 'GET') =>
  app.fetch(new Request(`${ORIGIN}${path}`, { method, headers: { origin: PAGE_ORIGIN } }))

const of = (method: string, ...paths: readonly string[]) =>
  paths.map((path) => [method, path] as const)
const WELL_KNOWN = ['oauth-authorization-server', 'openid-configuration', 'jwks.json']
const API_PATHS = [
  ...of('GET', ...WELL_KNOWN.map((name) => `/.well-known/${name}`)),
  ...of('POST', '/register', '/token', '/revoke', '/introspect'),
]
const PAGE_PATHS = [
  ...of('GET', '/authorize', '/authorize/callback', '/account'),
  ...of('POST', '/authorize/decision', '/account/disconnect', '/login', '/logout'),
]
const RESOURCE_METADATA = ['', '/mcp'].map((path) => `/.well-known/oauth-protected-resource${path}`)

const CAUSES: readonly (readonly [cause: string, origin: string | undefined, message: string])[] = [
  ['its origin is not configured', undefined, ORIGIN_UNKNOWN],
  ['its bindings are missing', ORIGIN, UNAVAILABLE],
]

describe.each(CAUSES)('embedded() when %s', (_, origin, message) => {
  const auth = () => embedded({ scopes: SCOPES, ...(origin === undefined ? {} : { origin }) })

  it.each([...API_PATHS, ...of('GET', ...RESOURCE_METADATA)])(
    'answers %s %s with an OAuth error that any origin may read',
    async (method, path) => {
      const app = open(auth())
      const response = await send(app, path, method)
      expect(response.status).toBe(503)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      const error_description = message
      expect(await response.json()).toEqual({ error: 'temporarily_unavailable', error_description })
      expect(app.events).toMatchObject([{ type: 'internal-error' }])
    },
  )

  it.each(API_PATHS)('answers the preflight of %s %s', async (method, path) => {
    const { status, headers } = await send(open(auth()), path, 'OPTIONS')
    const allowed = headers.get('access-control-allow-methods')
    expect([status, allowed]).toEqual([204, `${method}, OPTIONS`])
  })

  it.each(PAGE_PATHS)('answers %s %s with a page', async (method, path) => {
    const response = await send(open(auth()), path, method)
    expect(response.status).toBe(503)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(await response.text()).toContain(message)
  })

  it('answers the endpoint with a JSON-RPC error and its CORS headers', async () => {
    const app = open(auth())
    const response = await send(app, '/mcp', 'POST')
    expect(response.status).toBe(503)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN)
    expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32603, message } })
    expect(app.events).toMatchObject([{ type: 'internal-error' }])
  })
})

describe('external() when its origin is not configured', () => {
  const auth = external({ issuers: [{ issuer: 'https://login.example.com' }], scopes: SCOPES })

  it.each(RESOURCE_METADATA)('answers GET %s with an OAuth error', async (path) => {
    const response = await send(open(auth), path)
    expect(response.status).toBe(503)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: ORIGIN_UNKNOWN,
    })
  })

  it.each(RESOURCE_METADATA)('answers the preflight of %s', async (path) => {
    const response = await send(open(auth), path, 'OPTIONS')
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('answers the endpoint with a JSON-RPC error and its CORS headers', async () => {
    const response = await send(open(auth), '/mcp', 'POST')
    expect(response.status).toBe(503)
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE_ORIGIN)
    expect(await response.json()).toMatchObject({ error: { message: ORIGIN_UNKNOWN } })
  })

  it('serves no path of an authorization server', async () => {
    for (const [method, path] of [...API_PATHS, ...PAGE_PATHS]) {
      expect((await send(open(auth), path, method)).status).toBe(404)
    }
  })
})
