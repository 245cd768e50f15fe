/** The reference server, broken in one way at a time: the doctor names the defect and nothing else. */
import { describe, it } from 'vitest'
import { FAULT_GROUPS, FAULTS } from '../../faults/src/faults.ts'
import { DEFINITION_ROWS, withOutput, withView } from './broken/definitions.ts'
import { DISCOVERY_ROWS } from './broken/discovery.ts'
import { EVENT_ROWS } from './broken/events.ts'
import { MESSAGE_ROWS } from './broken/messages.ts'
import { REACHING_ROWS } from './broken/reaching.ts'
import { rejectsModern } from './broken/row.ts'
import { SESSION_ROWS } from './broken/sessions.ts'
import { SIGN_IN_ROWS } from './broken/sign-in.ts'
import { TRANSPORT_ROWS } from './broken/transport.ts'
import { changed, onMethod, onResult, withAnswer } from './defects.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import { AUTHORIZATION } from './planted/authorization.ts'
import { ENDPOINT } from './planted/endpoint.ts'
import { TOOLS } from './planted/tools.ts'
import { CALL_RESULT, type Defect, json, startReferenceServer } from './reference-server.ts'

const open = [
  ...REACHING_ROWS,
  ...MESSAGE_ROWS,
  ...TRANSPORT_ROWS,
  ...SESSION_ROWS,
  ...DEFINITION_ROWS,
].map((row) => ({
  ...row,
  kind: 'an open server',
}))
const closed = [...DISCOVERY_ROWS, ...SIGN_IN_ROWS].map((row) => ({
  ...row,
  kind: 'a protected server',
}))

/** Found by `steps.test.ts`, `events.test.ts`, `hostile-servers.test.ts` and `failing-servers.test.ts`. */
const TESTED_ELSEWHERE = [
  'answers-slow',
  'authorization-lost-at-restart',
  'connection-failed',
  'endpoint-not-https',
  'events-callback-unverified',
  'events-stream-silent',
  'host-not-found',
  'legacy-sse-fails',
  'metadata-names-internal-host',
  'not-https',
  'port-not-443',
  'response-malformed',
  'stream-no-keep-alive',
  'tls-invalid',
  'url-trailing-slash',
]

const EVENT_STREAM = { status: 200, headers: { 'content-type': 'text/event-stream' } }

const METHODS = 'token_endpoint_auth_methods_supported'

const CALLED = { jsonrpc: '2.0', id: 1, result: CALL_RESULT }

const isHandshake = (method: unknown) =>
  ['initialize', 'notifications/initialized'].includes(String(method))

describe('the doctor', () => {
  it('finds every fault of a server in some test', ({ expect }) => {
    const ofProjects = Object.keys(FAULT_GROUPS['Configuration of a project'])
    const tested: readonly string[] = [
      ...[...open, ...closed, ...ENDPOINT, ...TOOLS, ...AUTHORIZATION, ...EVENT_ROWS].map(
        ({ fault }) => fault,
      ),
      ...ofProjects,
    ]
    const missing = Object.keys(FAULTS).filter((code) => !tested.includes(code))
    expect(missing.sort()).toEqual([...TESTED_ELSEWHERE, 'session-lost-at-restart'].sort())
  })

  it('names session-lost-at-restart when sessions are in memory alone', async ({
    expect,
    onTestFinished,
  }) => {
    let isRestarted = false
    const server = await startReferenceServer({
      defect: (request, next, origin) =>
        isRestarted && request.headers['mcp-session-id'] !== undefined
          ? json({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Not found' } }, 404)
          : rejectsModern(request, next, origin),
    })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, {
      restart: 'true',
      onProgress: (activity) => {
        isRestarted = activity === 'Waiting for the restart'
      },
    })
    expect(codesOf(report)).toEqual(['session-lost-at-restart'])
    expect(disconnected(report)).toEqual([])
  })

  it.concurrent.for([...open, ...closed])(
    'names $fault alone at $kind when $when',
    async (row, { expect, onTestFinished }) => {
      const { fault, kind, defect, breaks = [], at: where = breaks, fix, timeoutMs } = row
      const isProtected = kind === 'a protected server'
      const server = await startReferenceServer({ isProtected, defect })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, {
        active: isProtected,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      })
      expect(codesOf(report)).toEqual([fault])
      expect(concerned(report, fault)).toEqual(where)
      expect(disconnected(report)).toEqual(breaks)
      const finding = report.clients.flatMap(({ findings }) => findings).at(0)
      expect(finding?.fix).toMatch(fix)
    },
  )

  it.for([
    {
      what: 'an empty Mcp-Session-Id',
      defect: onMethod(
        'initialize',
        (_, next) => next && { ...next, headers: { ...next.headers, 'mcp-session-id': '' } },
      ),
    },
    {
      what: 'an empty nextCursor on the last page',
      defect: onResult('tools/list', (result) => ({ ...result, nextCursor: '' })),
    },
    {
      what: 'an outputSchema of an older dialect with a schema for each item',
      defect: withOutput(
        { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
        { a: ['b'] },
      ),
    },
    {
      what: 'a response to another request before the response on an event stream',
      defect: onMethod('tools/call', (_, next) => ({
        ...EVENT_STREAM,
        stream: (response) => {
          response.write(`data: ${JSON.stringify({ ...CALLED, id: 77 })}\n\n`)
          setTimeout(() => response.end(`data: ${String(next?.body)}\n\n`), 50)
        },
      })),
    },
    {
      what: 'a tool that refuses a call without arguments',
      defect: onMethod('tools/call', (id) =>
        json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Name a place' } }),
      ),
    },
    {
      what: 'a list as structuredContent in 2026-07-28',
      defect: onResult('tools/call', (result) => ({
        ...result,
        ...(result.resultType === undefined ? {} : { structuredContent: [1] }),
      })),
    },
    {
      what: 'a tool whose response does not come on its event stream in time',
      defect: onMethod('tools/call', () => ({
        ...EVENT_STREAM,
        stream: (response) => void response.write(': working\n\n'),
      })),
      timeoutMs: 4000,
    },
    {
      what: 'an event stream of a call that ends early and is resumed by GET',
      defect: (request, next, origin) =>
        request.headers['last-event-id'] === 'a'
          ? { ...EVENT_STREAM, body: `id: b\ndata: ${JSON.stringify(CALLED)}\n\n` }
          : rejectsModern(
              request,
              () =>
                request.json.method === 'tools/call'
                  ? { ...EVENT_STREAM, body: 'id: a\nretry: 1\ndata:\n\n' }
                  : next(),
              origin,
            ),
    },
  ] satisfies { what: string; defect: Defect; timeoutMs?: number }[])(
    'finds nothing at an open server with $what',
    async ({ defect, ...options }, { expect, onTestFinished }) => {
      const server = await startReferenceServer({ defect })
      onTestFinished(() => server.stop())
      expect(codesOf(await examineQuickly(server.url, options))).toEqual([])
    },
  )

  it('ends each session that it opens', async ({ expect, onTestFinished }) => {
    const opened = new Set<string | undefined>()
    const server = await startReferenceServer({
      defect: onMethod('initialize', (_, next) => {
        opened.add(next?.headers?.['mcp-session-id'])
        return next
      }),
    })
    onTestFinished(() => server.stop())
    await examineQuickly(server.url)
    const deleted = server.requests.filter(({ method }) => method === 'DELETE')
    expect(new Set(deleted.map(({ headers }) => headers['mcp-session-id']))).toEqual(opened)
  })

  it('finds nothing at a correct open server', async ({ expect, onTestFinished }) => {
    const server = await startReferenceServer()
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.isReached).toBe(true)
  })

  it.for([
    { when: 'after the handshake', isOpen: isHandshake },
    {
      when: 'at the first call',
      isOpen: (method: unknown) => method !== 'tools/call',
    },
    {
      when: 'at all but the handshake and the lists of a session',
      isOpen: (method: unknown) => isHandshake(method) || method === 'tools/list',
    },
  ])(
    'finds nothing at a server that asks for a token $when',
    async ({ isOpen }, { expect, onTestFinished }) => {
      const open = await startReferenceServer({ defect: rejectsModern })
      const closed = await startReferenceServer({
        isProtected: true,
        defect: async (request, next) => {
          const isMessage = request.method === 'POST' && request.path === '/mcp'
          if (!isMessage || request.headers.authorization !== undefined) return next()
          if (!isOpen(request.json.method)) return next()
          const { 'content-length': _, host: __, ...headers } = request.headers
          const response = await fetch(open.url, {
            method: 'POST',
            headers: headers as Record<string, string>,
            body: request.body,
          })
          const { status } = response
          return {
            status,
            headers: Object.fromEntries(response.headers),
            body: await response.text(),
          }
        },
      })
      onTestFinished(() => Promise.all([open.stop(), closed.stop()]).then(() => undefined))
      const report = await examineQuickly(closed.url, { active: true })
      expect(codesOf(report)).toEqual([])
      expect(closed.requests.some(({ path }) => path === '/token')).toBe(true)
      const unsigned = await examineQuickly(closed.url)
      expect(codesOf(unsigned)).toEqual([])
      expect(unsigned.notes.join()).toContain('--token')
    },
  )

  it('names token-refused when a header of the command line is refused without an authorization', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({
      defect: onMethod('tools/call', () => json({ error: 'expired' }, 401)),
    })
    onTestFinished(() => server.stop())
    const headers = { 'x-api-key': 'old' }
    expect(codesOf(await examineQuickly(server.url, { headers }))).toEqual(['token-refused'])
    expect(codesOf(await examineQuickly(server.url))).toEqual(['authorization-not-offered'])
  })

  it('repeats a request that a rate limit refuses for a second', async ({
    expect,
    onTestFinished,
  }) => {
    let requests = 0
    const server = await startReferenceServer({
      defect: (_, next) =>
        ++requests % 12 === 0 ? json({ error: 'slow down' }, 429, { 'retry-after': '1' }) : next(),
    })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it('finds nothing at a server with a view and a policy of origins', async ({
    expect,
    onTestFinished,
  }) => {
    const csp = { connectDomains: ['wss://a.example', 'https://*.example.com'], frameDomains: [] }
    const view = { uri: 'ui://a/b', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>' }
    const server = await startReferenceServer({
      defect: (request, next, origin) =>
        withView({ ...view, _meta: { ui: { csp } } })(request, next, origin),
    })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
    const read = server.requests.filter(({ json }) => json.method === 'resources/read')
    expect(read.map(({ headers }) => headers['mcp-name'])).toContain('ui://a/b')
  })

  it('finds nothing at a protected server with a Basic challenge before the Bearer one', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({
      isProtected: true,
      defect: withAnswer('/mcp', ({ headers = {}, ...answer }) => {
        const { 'www-authenticate': bearer, ...others } = headers
        if (bearer === undefined) return { ...answer, headers }
        return {
          ...answer,
          headers: { ...others, 'www-authenticate': `Basic realm="a", ${bearer}` },
        }
      }),
    })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it('finds nothing at a server of the session era alone', async ({ expect, onTestFinished }) => {
    const server = await startReferenceServer({ defect: rejectsModern })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it('finds nothing at a correct protected server and gets a token', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.notes.join()).not.toContain('--token')
  })

  it.for([
    { what: 'client_secret_basic alone', methods: ['client_secret_basic'] },
    { what: 'no method', methods: undefined },
  ])(
    'finds nothing at a protected server that issues secrets and lists $what',
    async ({ methods }, { expect, onTestFinished }) => {
      const issued = { client_secret: 'secret', token_endpoint_auth_method: 'client_secret_basic' }
      const metadata = '/.well-known/oauth-authorization-server'
      const server = await startReferenceServer({
        isProtected: true,
        defect: (request, next, origin) => {
          if (request.path === '/token') {
            const credentials = request.headers.authorization?.split(' ')[1] ?? ''
            return atob(credentials).endsWith(':secret')
              ? next()
              : json({ error: 'invalid_client' }, 401)
          }
          const change = request.path === metadata ? { [METHODS]: methods } : issued
          return ['/register', metadata].includes(request.path)
            ? changed(request.path, (value) => ({ ...value, ...change }))(request, next, origin)
            : next()
        },
      })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, { active: true })
      expect(codesOf(report)).toEqual([])
      expect(report.notes.join()).not.toContain('--token')
    },
  )

  it('registers nothing and redeems nothing without --active', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/register')).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/token')).toEqual([])
    expect(report.notes.join()).toContain('--token')
  })
})
