/** Who may use the inspector: through its paths, in development and in production. */
import { describe, expect, it } from 'vitest'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { Browser, formOf } from '../../../../test/auth/server/support/browser.ts'
import {
  AUDIENCE,
  advance,
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
} from '../../../../test/auth/server/support/deployment.ts'
import { OpenIdProvider } from '../../../../test/auth/server/support/provider.ts'
import { objectsIn } from '../../../../test/auth/server/support/scoped-objects.ts'
import { inspector } from '../../src/inspector/index.ts'
import type { TrafficObject } from '../../src/objects/traffic/traffic-object.ts'
import { createTrafficStore } from '../../src/objects/traffic/traffic-store.ts'
import { timeline } from '../../src/timeline/index.ts'
import { createBindings } from '../timeline/support/recorded-server.ts'
import { openInspected, openTraffic, PRODUCTION } from './support/inspected-server.ts'

const PAGES = ['/inspect', '/inspect/', '/inspect/callback']
const DATA = [
  '/inspect/config.json',
  '/inspect/events.json',
  '/inspect/state.json',
  '/inspect/timeline.json',
  '/inspect/timeline',
  '/inspect/traffic.json',
]
const TRAFFIC = '/inspect/traffic'
const VIEW = '/inspect/view'
const CHANGES = '/inspect/view-changes'
const BOTH = `http://localhost:8787 ${PRODUCTION}`

const OWNED = { inspector: inspector({ owners: ['owner'] }) }

/** A server in production with an inspector, and a browser in which a person has signed in. */
async function openOwned(passphrase?: string, app: object = OWNED) {
  const server = openDeployment({}, { app })
  const browser = new Browser(server)
  if (passphrase !== undefined) await browser.signIn(passphrase)
  return { server, browser }
}

describe('the inspector in development', () => {
  it.each([...PAGES, ...DATA, VIEW])('%s is open on a loopback host', async (path) => {
    const response = await openInspected().fetch(path)
    expect(response.status).toBe(200)
    const kept = path === VIEW ? 'private, max-age=3600' : 'no-store'
    expect(response.headers.get('cache-control')).toBe(kept)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('has no views that are built anew without edgeway dev', async () => {
    expect((await openInspected().fetch(CHANGES)).status).toBe(204)
  })

  it('its page has a policy without external requests, and cannot be embedded', async () => {
    const { headers } = await openInspected().fetch('/inspect')
    const policy = headers.get('content-security-policy') ?? ''
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(directive)
    }
    expect(policy).not.toMatch(/https?:|unsafe|\*/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('describes the server to its page', async () => {
    const server = openInspected()
    expect(await (await server.fetch('/inspect/config.json')).json()).toEqual({
      serverName: 'notes',
      version: '1.0.0',
      endpoints: ['http://localhost:8787/mcp'],
      development: true,
      authorization: false,
      subject: null,
      bodies: 'all',
      events: false,
      revisions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    })
  })

  it.each([...PAGES, ...DATA, TRAFFIC, VIEW])('%s answers HEAD without a body', async (path) => {
    const response = await openInspected().fetch(path, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('refuses %s', async (method) => {
    const server = openInspected()
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      const response = await server.fetch(path, { method })
      expect([path, response.status]).toEqual([path, 405])
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['a fetch of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    [
      'a fetch of another subdomain',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    ],
    [
      'a fetch of another site that names the destination of a page',
      {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'cors',
        'sec-fetch-dest': 'document',
      },
    ],
    [
      'a frame of another site',
      {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'iframe',
      },
    ],
  ])('refuses %s at every path', async (_, headers) => {
    const server = openInspected()
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      expect([path, (await server.fetch(path, { headers })).status]).toEqual([path, 403])
    }
  })

  it('follows a link of another site to its page alone', async () => {
    const server = openInspected()
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    for (const path of PAGES) expect((await server.fetch(path, { headers })).status).toBe(200)
    for (const path of [...DATA, VIEW]) {
      expect((await server.fetch(path, { headers })).status).toBe(403)
    }
  })

  it('refuses a form of another site at every path', async () => {
    const server = openInspected()
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      const response = await server.fetch(path, { method: 'POST', headers })
      expect([path, response.status]).toEqual([path, 403])
    }
  })

  it.each([
    ['a host that a page makes resolve to this machine', 'http://rebound.example:8787', {}, 403],
    ['a client behind a proxy', 'http://localhost:8787', { 'cf-connecting-ip': '192.0.2.1' }, 404],
    ['a forwarded client', 'http://localhost:8787', { 'x-forwarded-for': '192.0.2.1' }, 404],
  ])('refuses %s', async (_, origin, headers, status) => {
    const server = openInspected({ origin })
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      expect([path, (await server.fetch(path, { headers })).status]).toEqual([path, status])
    }
  })

  it.each([
    ['a loopback host', {}, {}, 200],
    ['a loopback host without the variable', { EDGEWAY_ORIGIN: undefined }, {}, 404],
    ['an empty variable', { EDGEWAY_ORIGIN: '' }, {}, 404],
    ['a variable that is not development', { EDGEWAY_ORIGIN: 'Development' }, {}, 404],
    ['development beside an origin', { EDGEWAY_ORIGIN: `development ${PRODUCTION}` }, {}, 404],
    ['a loopback origin beside one in production', { EDGEWAY_ORIGIN: BOTH }, {}, 404],
    ['the variable of a build', { NODE_ENV: 'development', EDGEWAY_ORIGIN: undefined }, {}, 404],
    ['a forwarded client', {}, { 'x-forwarded-for': '192.0.2.1' }, 404],
    ['a configured loopback origin', { EDGEWAY_ORIGIN: 'http://127.0.0.1:8787' }, {}, 200],
    ['a configured origin in production', { EDGEWAY_ORIGIN: PRODUCTION }, {}, 404],
    ['an invalid origin', { EDGEWAY_ORIGIN: 'nowhere' }, {}, 404],
  ])(
    'is development to the inspector and to a timeline alone alike for %s',
    async (_, variables, headers, status) => {
      const bindings = { ...createBindings(), ...variables }
      for (const app of [{}, { inspector: undefined, timeline: timeline() }]) {
        const server = openInspected({ app, bindings })
        expect((await server.fetch('/inspect/timeline.json', { headers })).status).toBe(status)
      }
    },
  )

  it.each([
    'http://localhost:8787',
    'http://LOCALHOST',
    'http://127.0.0.1:8787',
    'http://127.1',
    'http://0x7f000001',
    'http://[::1]:8787',
    'https://localhost',
  ])('does not exist at %s where the variable does not say so', async (origin) => {
    const events: TelemetryEvent[] = []
    const bindings = { ...createBindings(), EDGEWAY_ORIGIN: undefined }
    const app = { telemetry: (event: TelemetryEvent) => events.push(event) }
    const server = openInspected({ origin, bindings, app })
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      const local: readonly HeadersInit[] = [{}, { 'cf-connecting-ip': '127.0.0.1' }, { origin }]
      for (const headers of local) {
        const response = await server.fetch(path, { headers })
        expect([path, response.status]).toEqual([path, 404])
        expect(await response.text()).not.toMatch(/inspect|development/i)
      }
    }
    // The developer sees in the console what is missing.
    const warnings = events.filter(({ type }) => type === 'definition-warning')
    expect(warnings).toEqual([
      {
        type: 'definition-warning',
        subject: 'The inspector',
        message: expect.stringMatching(/wrangler dev --var EDGEWAY_ORIGIN:development$/),
      },
    ])
  })

  it.each([
    'https://localhost.',
    'https://localhost.example.com',
    'https://127.0.0.1.example.com',
    'https://[::ffff:127.0.0.1]',
    'https://0.0.0.0',
    'https://[::]',
  ])('does not exist at %s, which is no loopback name', async (origin) => {
    const server = openInspected({ origin })
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      expect([path, (await server.fetch(path)).status]).toEqual([path, 404])
    }
  })

  it('does not exist for a host in another header', async () => {
    const server = openInspected({ origin: PRODUCTION })
    const headers = {
      'x-forwarded-host': 'localhost:8787',
      'x-original-host': 'localhost',
      forwarded: 'for=127.0.0.1;host=localhost',
    }
    expect((await server.fetch('/inspect', { headers })).status).toBe(404)
  })

  it('does not record requests at a loopback host where the variable does not say so', async () => {
    const bindings = { ...createBindings(), EDGEWAY_ORIGIN: undefined }
    await openInspected({ bindings }).call('tools/list')
    const reader = openInspected({ bindings: { ...bindings, EDGEWAY_ORIGIN: 'development' } })
    expect(await reader.entries()).toEqual([])
  })

  it.each(['/inspect/unknown', '/inspect/config.json/', '/inspect//traffic', '/inspector'])(
    '%s does not exist',
    async (path) => {
      expect((await openInspected().fetch(path)).status).toBe(404)
    },
  )

  it('does not exist without the option', async () => {
    const server = openInspected({ app: { inspector: undefined } })
    for (const path of [...PAGES, ...DATA, TRAFFIC, VIEW, CHANGES]) {
      expect((await server.fetch(path)).status).toBe(404)
    }
  })
})

describe('the inspector in production', () => {
  it('does not exist without owners, with any request', async () => {
    const { server, browser } = await openOwned(PASSPHRASE, { inspector: inspector() })
    for (const path of [...PAGES, ...DATA, TRAFFIC]) {
      expect((await browser.get(path)).status).toBe(404)
      const foreign = { origin: 'https://evil.example' }
      const response = await server.fetch(`${PRODUCTION}${path}`, { headers: foreign })
      expect(response.status).toBe(404)
    }
  })

  it('does not exist on a server without authorization', async () => {
    const server = openInspected({ origin: PRODUCTION, inspector: { owners: ['owner'] } })
    for (const path of [...PAGES, ...DATA, TRAFFIC]) {
      expect((await server.fetch(path)).status).toBe(404)
    }
  })

  it('does not exist for a person who is no owner', async () => {
    const { browser } = await openOwned(GUEST_PASSPHRASE)
    for (const path of [...PAGES, ...DATA, TRAFFIC]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
    }
  })

  it('is open to an owner whose browser is signed in', async () => {
    const { browser } = await openOwned(PASSPHRASE)
    for (const path of [...PAGES, ...DATA]) expect((await browser.get(path)).status).toBe(200)
    // A frame of a view would run scripts of other people at the origin of production.
    expect((await browser.get(VIEW)).status).toBe(404)
    expect((await browser.get(CHANGES)).status).toBe(404)
    const config = await browser.get('/inspect/config.json')
    expect(JSON.parse(config.html)).toMatchObject({
      endpoints: [`${PRODUCTION}/mcp`],
      development: false,
      authorization: true,
      subject: 'owner',
      bodies: 'own',
    })
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a loopback origin', { origin: 'http://localhost:8787' }],
  ])('refuses a request of %s with the cookie of an owner', async (_, headers) => {
    const { browser } = await openOwned(PASSPHRASE)
    for (const path of [...PAGES, ...DATA, TRAFFIC]) {
      expect((await browser.get(path, headers)).status).toBe(403)
    }
  })

  it('sends a browser that is not signed in to the sign-in, and back after it', async () => {
    const { browser } = await openOwned()
    const first = await browser.get('/inspect')
    expect([first.status, first.location]).toEqual([303, '/account?return=inspector'])
    const login = await browser.get('/account?return=inspector')
    expect(login.actions).toEqual(['/login?return=inspector'])
    expect(login.html).toContain('to see the traffic of this server')
    const { csrf } = formOf(login)
    const wrong = await browser.post('/login?return=inspector', { csrf, passphrase: 'wrong' })
    expect(wrong.actions).toEqual(['/login?return=inspector'])
    const done = await browser.post('/login?return=inspector', { csrf, passphrase: PASSPHRASE })
    expect([done.status, done.location]).toEqual([303, '/inspect'])
    expect((await browser.get('/inspect')).status).toBe(200)
    expect((await browser.get('/account?return=inspector')).location).toBe('/inspect')
  })

  it('sends a browser back after a sign-in at an identity provider', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login() }, { app: OWNED })
    const browser = new Browser(server)
    const { csrf } = formOf(await browser.get('/account?return=inspector'))
    const { location } = await browser.post('/login?return=inspector', { csrf })
    const done = await browser.get(provider.visit(location).callback)
    expect([done.status, done.location]).toEqual([303, '/inspect'])
  })

  it.each(['https://evil.example', '//evil.example', '/inspect', 'account', ''])(
    'the sign-in sends no browser to the destination "%s" of a link',
    async (to) => {
      const { browser } = await openOwned()
      const query = `?return=${encodeURIComponent(to)}`
      const login = await browser.get(`/account${query}`)
      expect(login.actions).toEqual(['/login'])
      const { csrf } = formOf(login)
      const done = await browser.post(`/login${query}`, { csrf, passphrase: PASSPHRASE })
      expect(done.location).toBe('/account')
    },
  )

  it.each([...DATA, TRAFFIC])('answers 401 at %s without a sign-in', async (path) => {
    const { browser } = await openOwned()
    browser.cookies.set('__Host-edgeway-login', 'forged')
    expect((await browser.get(path)).status).toBe(401)
  })

  it('accepts no access token instead of the sign-in', async () => {
    const { server } = await openOwned()
    const headers = { authorization: 'Bearer token' }
    const response = await server.fetch(`${PRODUCTION}${TRAFFIC}`, { headers })
    expect(response.status).toBe(401)
  })

  it('ends for a person who signs out', async () => {
    const { browser } = await openOwned(PASSPHRASE)
    const { csrf } = formOf(await browser.get('/account'))
    const copy = new Map(browser.cookies)
    await browser.post('/logout', { csrf })
    for (const [name, value] of copy) browser.cookies.set(name, value)
    advance(60_000)
    expect((await browser.get('/inspect/config.json')).status).toBe(401)
  })

  it('ends an open stream when its person has signed out', async () => {
    const { server, browser } = await openOwned(PASSPHRASE)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const fetch = (path: string, init?: RequestInit) => server.fetch(`${PRODUCTION}${path}`, init)
    const traffic = await openTraffic(fetch, '?after=0', { cookie })
    const { csrf } = formOf(await browser.get('/account'))
    await browser.post('/logout', { csrf })
    advance(31_000)
    // The next entry wakes the stream.
    const store = createTrafficStore(objectsIn<TrafficObject>(server.bindings, 'traffic', AUDIENCE))
    await store.append([{ at: Date.now(), owner: null, entry: '{"kind":"closed"}' }])
    expect(await traffic.next()).toMatchObject({ kind: 'closed' })
    await expect(traffic.next()).rejects.toThrow('the stream has ended')
  })

  it('counts the requests of a network, so that a program cannot guess cookies', async () => {
    const { browser } = await openOwned(undefined, {
      ...OWNED,
      rateLimits: { classes: { network: { limit: 2 } } },
    })
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    await browser.get('/inspect/config.json', headers)
    await browser.get('/inspect/config.json', headers)
    expect((await browser.get('/inspect/config.json', headers)).status).toBe(429)
  })
})

describe('the position in the traffic', () => {
  it.each(['', 'x', '-1', '1.5', '1e3', '99999999999999999', '١', '0x10', ' 1', '%00', '1,2'])(
    'refuses the query after=%s',
    async (after) => {
      const response = await openInspected().fetch(`${TRAFFIC}?after=${after}`)
      expect(response.status).toBe(400)
    },
  )

  it.each(['x', '-1', '<script>', '9'.repeat(400), 'NaN', '1;2'])(
    'refuses the Last-Event-ID %s',
    async (id) => {
      const headers = { 'last-event-id': id }
      expect((await openInspected().fetch(TRAFFIC, { headers })).status).toBe(400)
    },
  )

  it('of an event that is to come shows what is recorded from then on', async () => {
    const server = openInspected()
    await server.call('tools/list')
    const traffic = await openTraffic(server.fetch, '?after=9999999999999999')
    await server.call('server/discover')
    expect(await traffic.next()).toMatchObject({ kind: 'opened' })
    expect(await traffic.next()).toMatchObject({ message: { method: 'server/discover' } })
  })

  it('continues after the last event that the page has received', async () => {
    const server = openInspected()
    await server.call('tools/list')
    const [first, second] = await server.entries()
    const headers = { 'last-event-id': String(first?.number) }
    const traffic = await openTraffic(server.fetch, '?after=0', headers)
    expect((await traffic.next()).number).toBe(second?.number)
  })

  it('is refused to the ninth stream at the same time, until one of the eight is closed', async () => {
    const server = openInspected()
    const streams = await Promise.all(
      Array.from({ length: 8 }, () => openTraffic(server.fetch, '?after=0')),
    )
    const refused = await server.fetch(TRAFFIC)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    await streams.pop()?.close()
    const status = async () => {
      const response = await server.fetch(TRAFFIC)
      await response.body?.cancel()
      return response.status
    }
    // A stream that does not leave is forgotten after half a minute.
    await expect.poll(status, { timeout: 20_000, interval: 500 }).toBe(200)
    await Promise.all(streams.map((stream) => stream.close()))
  })
})

describe('inspector()', () => {
  it.each([
    [{ owners: 'owner' }, /owners/],
    [{ owners: [''] }, /owners/],
    [{ owners: [1] }, /owners/],
    [{ bodies: 'all' }, /bodies/],
  ])('refuses %o', (options, message) => {
    expect(() => inspector(options as never)).toThrow(message)
  })
})
