/** The app mounted in another Hono app, and called as Hono's own tests call it. */
// features: sessions

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createRouter } from '../../src/app/router.ts'
import { embedded } from '../../src/auth/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { createSampleServer } from '../support/sample-server.ts'

const edgeway = createFullEdgeway(createSampleServer(), {
  path: '/ai/mcp',
  auth: embedded({ scopes: { read: 'Read' } }),
})
const withoutAuth = createFullEdgeway(createSampleServer())

const outer = new Hono()
outer.get('/', (c) => c.text('A website'))
outer.get('/account/settings', (c) => c.text('Settings'))
outer.route('/', edgeway.app)
outer.get('/later', (c) => c.text('Later'))
outer.get('/.well-known/security.txt', (c) => c.text('Contact: mailto:security@example.com'))

const DEVELOPMENT = { ...env, EDGEWAY_ORIGIN: 'development' }

const fetchOuter = async (path: string, init?: RequestInit, app: Pick<Hono, 'fetch'> = outer) =>
  app.fetch(
    new Request(`http://localhost:8787${path}`, init),
    DEVELOPMENT,
    createExecutionContext(),
  )

describe('the app mounted at the root of another app', () => {
  it.each([
    ['GET', '/.well-known/oauth-protected-resource/ai/mcp', 200],
    ['GET', '/.well-known/oauth-authorization-server', 200],
    ['GET', '/.well-known/jwks.json', 200],
    ['OPTIONS', '/.well-known/oauth-protected-resource/ai/mcp', 204],
    ['GET', '/authorize', 400],
    ['POST', '/authorize/decision', 400],
    ['GET', '/authorize/callback', 404],
    ['POST', '/register', 400],
    ['POST', '/token', 400],
    ['POST', '/revoke', 400],
    ['POST', '/introspect', 400],
    ['GET', '/account', 200],
    ['POST', '/logout', 400],
    ['POST', '/ai/mcp', 401],
  ])('answers %s %s as the app alone does', async (method, path, status) => {
    const mounted = await fetchOuter(path, { method, redirect: 'manual' })
    const alone = await fetchOuter(path, { method, redirect: 'manual' }, edgeway.app as never)
    expect(mounted.status).toBe(alone.status)
    expect(await mounted.text()).not.toBe('404 Not Found')
    expect(mounted.status).toBe(status)
  })

  it.each([
    ['/', 'A website'],
    ['/account/settings', 'Settings'],
    ['/later', 'Later'],
    ['/.well-known/security.txt', 'Contact: mailto:security@example.com'],
  ])('leaves %s to the other app', async (path, text) => {
    expect(await (await fetchOuter(path)).text()).toBe(text)
  })

  it('answers an unknown path with the 404 of the other app', async () => {
    expect(await (await fetchOuter('/nothing')).text()).toBe('404 Not Found')
  })
})

describe('two apps with the same paths that give way, mounted in one app', () => {
  const routerOf = (name: string) =>
    createRouter({
      routes: ['/inspect', '/inspect/*'].map((path) => ({
        path,
        handle: async () => new Response(name),
        givesWay: true,
      })),
      notFound: async () => new Response(null, { status: 404 }),
      refuseHost: () => undefined,
      middleware: undefined,
      report: () => undefined,
    })
  const both = new Hono().route('/', routerOf('first')).route('/', routerOf('last'))

  it.each(['/inspect', '/inspect/timeline'])('answer %s by the last app', async (path) => {
    expect(await (await fetchOuter(path, {}, both)).text()).toBe('last')
  })
})

describe('the app mounted under a prefix', () => {
  it.each([
    ['with authorization', edgeway.app, '/prefix/ai/mcp'],
    ['without authorization', withoutAuth.app, '/prefix/mcp'],
    ['without authorization, at its old transport', withoutAuth.app, '/prefix/sse'],
  ])('throws %s, and names the path to configure', async (_, app, path) => {
    const errors: Error[] = []
    const prefixed = new Hono()
    prefixed.onError((error, c) => {
      errors.push(error)
      return c.text('error', 500)
    })
    prefixed.route('/prefix', app as unknown as Hono)
    expect((await fetchOuter(path, { method: 'POST' }, prefixed)).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The app of Edgeway is mounted under a prefix: .* Mount it at the root, app\.route\('\/', edgeway\.app\), and give the whole path/,
      ),
    ])
  })
})

describe('edgeway.app.request()', () => {
  it('works without an execution context', async () => {
    const response = await withoutAuth.app.request('http://localhost:8787/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"name":"echo"')
  })
})
