import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type VerifiedCaller, type VerifierOptions, verifier } from '../../src/auth/index.ts'
import { McpServer } from '../../src/index.ts'
import { advanceClock } from '../support/clock.ts'
import type { FullOptions } from '../support/full-app.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { openApp, read } from '../support/test-app.ts'

const KEYS: Readonly<Record<string, VerifiedCaller>> = {
  'key-of-alice': { subject: 'alice', clientId: 'cli', scopes: ['read'], props: { plan: 'free' } },
  'key-of-bob': { subject: 'bob' },
}

const server = () =>
  new McpServer({ name: 's', version: '1' })
    .registerTool('whoami', {}, (ctx) => JSON.stringify(ctx.auth))
    .registerTool('headers', {}, (ctx) => JSON.stringify([...ctx.request.headers]))
    .registerTool('write', { scopes: ['write'] }, () => 'written')

function open(options: VerifierOptions = {}, settings: FullOptions = {}) {
  const checks: Request[] = []
  const state = { keys: { ...KEYS }, fails: false as boolean | 'hangs' }
  const credentialsOf = ({ headers }: Request) =>
    headers.get('x-api-key') ??
    headers.get('authorization')?.replace('Bearer ', '') ??
    /sid=([^;]*)/.exec(headers.get('cookie') ?? '')?.[1]
  const auth = verifier((request) => {
    checks.push(request)
    if (state.fails === true) throw new Error('The store of keys is unreachable')
    return state.keys[credentialsOf(request) ?? '']
  }, options)
  return { ...openApp(server(), { auth, ...settings }), checks, state }
}

type App = ReturnType<typeof open>

const whoami = async (app: App, headers: Record<string, string>) => {
  const { status, body } = await app.modern('tools/call', { name: 'whoami' }, { headers })
  return status === 200 ? JSON.parse(body.result.content[0].text) : status
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const BOB = bearer('key-of-bob')
const OWN_HEADER = { credentials: { header: 'X-API-Key' } }

describe('verifier', () => {
  it('gives handlers the caller that the function recognises', async () => {
    expect(await whoami(open(), bearer('key-of-alice'))).toEqual({
      subject: 'alice',
      clientId: 'cli',
      scopes: ['read'],
      issuer: 'urn:edgeway:s',
      resource: 'urn:edgeway:s/mcp',
      props: { plan: 'free' },
    })
    const bob = await whoami(open(), BOB)
    expect(bob).toMatchObject({ clientId: 'unknown', scopes: [] })
    expect(bob).not.toHaveProperty('token')
    const exposed = await whoami(open({ exposeToken: true }), BOB)
    expect(exposed).toMatchObject({ token: 'key-of-bob' })
  })

  it.each([
    ['401 without credentials', 401, 'tools/list', {}, 'Bearer'],
    [
      '401 to invalid ones',
      401,
      'tools/list',
      bearer('unknown-key'),
      'Bearer error="invalid_token"',
    ],
    [
      ...(['403 to a caller who lacks a scope', 403, 'tools/call'] as const),
      bearer('key-of-alice'),
      'Bearer error="insufficient_scope", scope="write"',
    ],
  ])('answers %s', async (_, status, method, headers, challenge) => {
    const app = open()
    const answer = await app.modern(method, { name: 'write' }, { headers })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([status, challenge])
    expect(JSON.stringify(app.events)).not.toContain('unknown-key')
  })

  it('reads a header of its own, which needs a content type, because a proxy may make it of a cookie', async () => {
    const app = open(OWN_HEADER)
    expect(await whoami(app, { 'x-api-key': 'key-of-bob' })).toMatchObject({ subject: 'bob' })
    expect(await whoami(app, BOB)).toBe(401)
    const send = (type: string | null) =>
      app.post(new TextEncoder().encode(PING), { 'x-api-key': 'key-of-bob', 'content-type': type })
    const refused = await send(null)
    expect(refused.status).toBe(415)
    expect(await refused.text()).toContain('[content-type-not-json]')
    expect((await send('application/json')).status).toBe(200)
  })

  it('removes the credentials from the headers that handlers see, in every era', async () => {
    const sent = { 'x-api-key': 'key-of-bob', cookie: 'sid=key-of-bob', 'x-own': 'yes' }
    const app = open(OWN_HEADER, {})
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'headers' } }
    const older = { ...sent, 'mcp-protocol-version': '2025-06-18' }
    for (const { body } of [
      await app.modern('tools/call', { name: 'headers' }, { headers: sent }),
      await read(await app.post(call, older)),
    ]) {
      const headers: string = body.result.content[0].text
      expect(headers).toContain('["x-own","yes"]')
      expect(headers).not.toContain('key-of-bob')
    }
  })

  it('gives the session object no header with credentials', async () => {
    const auth = verifier(() => ({ subject: 'bob' }), OWN_HEADER)
    const opened = openSessionApp({ auth })
    const fetch = (request: Request) => {
      const headers = new Headers(request.headers)
      headers.set('x-api-key', 'key-of-bob')
      return opened.fetch(new Request(request, { headers }))
    }
    const session = await openSession({}, { ...opened, fetch })
    const answer = await session.call(async ({ request }) => JSON.stringify([...request.headers]))
    const text = await answer.text()
    expect(text).toContain('mcp-session-id')
    expect(text).not.toContain('key-of-bob')
  })

  it('checks each caller once, and again behind the answer when its check is old', async () => {
    const app = open()
    for (let count = 0; count < 5; count++) await whoami(app, BOB)
    expect(app.checks).toHaveLength(1)
    app.state.keys = {}
    advanceClock(21_000)
    expect(await whoami(app, BOB)).toMatchObject({ subject: 'bob' })
    expect(app.checks).toHaveLength(2)
    expect(await whoami(app, BOB)).toBe(401)
  })

  it('waits for a check that is older than its maximum, and checks every request with 0', async () => {
    const app = open()
    await whoami(app, BOB)
    app.state.keys = {}
    advanceClock(31_000)
    expect(await whoami(app, BOB)).toBe(401)
    const always = open({ maxAgeMs: 0 })
    for (let count = 0; count < 3; count++) await whoami(always, BOB)
    expect(always.checks).toHaveLength(3)
  })

  it('does not share a check between credentials', async () => {
    const app = open()
    const headers = ['key-of-alice', 'key-of-bob', 'key-of-alice'].map(bearer)
    const callers = await Promise.all(headers.map((header) => whoami(app, header)))
    expect(callers.map(({ subject }) => subject)).toEqual(['alice', 'bob', 'alice'])
  })

  it('answers 503 when credentials cannot be checked, and keeps a caller that was checked a moment ago', async () => {
    const app = open()
    app.state.fails = true
    expect(await whoami(app, BOB)).toBe(503)
    app.state.fails = false
    await whoami(app, BOB)
    app.state.fails = true
    advanceClock(21_000)
    expect(await whoami(app, BOB)).toMatchObject({ subject: 'bob' })
  })

  it.each([
    ['no subject', {}],
    ['an empty subject', { subject: '' }],
    ['a subject that is a number', { subject: 7 }],
    ['a subject of a client', { subject: 'client:x' }],
    ['scopes that are a text', { subject: 'a', scopes: 'read' }],
    ['a malformed scope', { subject: 'a', scopes: ['a b'] }],
    ['props that are a text', { subject: 'a', props: 'x' }],
    ['a clientId that is a number', { subject: 'a', clientId: 1 }],
    ['true', true],
  ])('answers 503 for a function that returns %s', async (_, caller) => {
    const app = openApp(server(), { auth: verifier(() => caller as never) })
    const { status } = await app.modern('tools/list', {}, { headers: BOB })
    expect(status).toBe(503)
    expect(app.events).toContainEqual(expect.objectContaining({ type: 'internal-error' }))
  })

  it('shares one check that hangs among all requests that wait for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const verify = vi.fn(() => new Promise<never>(() => undefined))
    const app = openApp(server(), { auth: verifier(verify) })
    const list = () => app.modern('tools/list', {}, { headers: BOB })
    const answers = Promise.all([list(), list(), list()])
    await vi.advanceTimersByTimeAsync(10_400)
    expect((await answers).map(({ status }) => status)).toEqual([503, 503, 503])
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('gives the function a request without its body', async () => {
    const auth = verifier(async (request) => ({ subject: `${await request.text()}empty` }))
    const app = openApp(server(), { auth })
    const { body } = await app.modern('tools/call', { name: 'whoami' }, { headers: BOB })
    expect(JSON.parse(body.result.content[0].text).subject).toBe('empty')
  })

  it('refuses credentials of more than 8 KiB without a check', async () => {
    const app = open()
    for (const length of [8 * 1024, 8 * 1024 + 1]) {
      expect(await whoami(app, bearer('a'.repeat(length)))).toBe(401)
      expect(app.checks).toHaveLength(1)
    }
  })

  it.each<[string, RegExp, VerifierOptions, unknown?]>([
    ['no function', /takes a function/, {}, 'x'],
    ['a malformed header', /must be/, { credentials: { header: 'a b' } }],
    ['a negative age', /maxAgeMs must be/, { maxAgeMs: -1 }],
  ])('throws for %s', (_, message, options, verify = () => undefined) => {
    expect(() => verifier(verify as never, options)).toThrow(message)
  })
})

describe('verifier with a cookie', () => {
  const ORIGIN = 'https://app.example.com'
  const cookies = (settings: FullOptions = {}) =>
    open({ credentials: { cookie: 'sid' } }, settings).at(`${ORIGIN}/mcp`)
  const send = (
    origin: string | null,
    headers: Record<string, string | null> = {},
    app = cookies(),
  ) =>
    app.post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { origin, cookie: 'sid=key-of-bob', ...headers },
    )

  it('serves pages of its own origin, and clients without one', async () => {
    expect((await send(ORIGIN)).status).toBe(200)
    expect((await send(null)).status).toBe(200)
    const allowed = cookies({ allowedOrigins: ['https://other.example'] })
    const response = await send('https://other.example', {}, allowed)
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
  })

  it.each([
    'https://evil.example',
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.example',
  ])('refuses a page of %s', async (origin) => {
    const response = await send(origin)
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each(['cross-site', 'same-site'])(
    'refuses a request without an origin that a page of a %s has caused',
    async (site) => {
      expect((await send(null, { 'sec-fetch-site': site })).status).toBe(403)
      const stream = await cookies().fetch(
        new Request(`${ORIGIN}/mcp`, {
          headers: {
            accept: 'text/event-stream',
            cookie: 'sid=key-of-bob',
            'sec-fetch-site': site,
          },
        }),
      )
      expect(stream.status).toBe(403)
    },
  )

  it.each(['same-origin', 'none'])('serves a request with Sec-Fetch-Site: %s', async (site) => {
    expect((await send(null, { 'sec-fetch-site': site })).status).toBe(200)
  })

  it('needs a content type that a form cannot send', async () => {
    // A text has a Content-Type of its own. Bytes have none.
    const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    const untyped = { cookie: 'sid=key-of-bob', 'content-type': null }
    expect((await cookies().post(bytes, untyped)).status).toBe(415)
    expect((await open().post(bytes, { ...bearer('key-of-bob'), ...untyped })).status).toBe(200)
    expect((await send(null, { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('refuses a cookie that occurs twice, and one of a longer name', async () => {
    for (const cookie of [
      'sid=key-of-bob; sid=key-of-alice',
      'xsid=key-of-bob',
      'sid2=key-of-bob',
    ]) {
      expect((await send(null, { cookie })).status, cookie).toBe(401)
    }
    expect((await send(null, { cookie: 'a=b; sid=key-of-bob; c=d' })).status).toBe(200)
  })

  it('cannot be combined with all origins', () => {
    expect(() => cookies({ allowedOrigins: ['*'] })).toThrow(/must name origins, not \*/)
  })
})
