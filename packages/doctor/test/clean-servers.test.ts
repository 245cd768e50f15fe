/** Servers without a fault, as they differ among each other: the doctor finds nothing, and does no more than it must. */
import { describe, it, type TestContext } from 'vitest'
import { withOutput, withView } from '../../faults/test/planted/definitions.ts'
import {
  answersTo,
  both,
  CALL_RESULT,
  challenge,
  type Defect,
  eventStream,
  json,
  members,
  onMethod,
  refusal,
  rejectsModern,
  resultOf,
  rpcError,
  when,
} from '../../faults/test/planted/plant.ts'
import { PROTECTED as PLANTED } from '../../faults/test/planted/table.ts'
import type { DoctorOptions } from '../src/doctor/doctor.ts'
import { codesOf, disconnected, examineQuickly } from './examine.ts'
import { type ReferenceOptions, startReferenceServer } from './reference-server.ts'

const CALLED = { jsonrpc: '2.0', id: 1, result: CALL_RESULT }

const isHandshake = (method: unknown) =>
  ['initialize', 'notifications/initialized'].includes(String(method))

const ISSUED = { client_secret: 'secret', token_endpoint_auth_method: 'client_secret_basic' }

/** Issues secrets, which the token endpoint asks for by `client_secret_basic`. */
const withSecrets = (methods: readonly string[] | undefined): Defect =>
  both(
    both(
      members('/register')(ISSUED),
      members('/.well-known/oauth-authorization-server')({
        token_endpoint_auth_methods_supported: methods,
      }),
    ),
    when(
      ({ path, headers }) =>
        path === '/token' && !atob(headers.authorization?.split(' ')[1] ?? '').endsWith(':secret'),
      json({ error: 'invalid_client' }, 401),
    ),
  )

let requests = 0

const OPEN: Readonly<Record<string, Defect | [Defect, Partial<DoctorOptions>]>> = {
  'nothing unusual': (_, next) => next(),
  'the session era alone': rejectsModern,
  'an empty Mcp-Session-Id': answersTo('initialize', { headers: { 'mcp-session-id': '' } }),
  'an empty nextCursor on the last page': resultOf('tools/list', { nextCursor: '' }),
  'an outputSchema of an older dialect with a schema for each item': withOutput(
    { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    { a: ['b'] },
  ),
  'a response to another request before the response on an event stream': onMethod(
    'tools/call',
    (_, next) => ({
      ...eventStream(''),
      stream: (response) => {
        response.write(`data: ${JSON.stringify({ ...CALLED, id: 77 })}\n\n`)
        setTimeout(() => response.end(`data: ${String(next?.body)}\n\n`), 50)
      },
    }),
  ),
  'a tool that refuses a call without arguments': onMethod('tools/call', (id) =>
    rpcError(id, -32602, 'Name a place'),
  ),
  'a list as structuredContent in 2026-07-28': (request, next, origin) => {
    const isModern = request.headers['mcp-protocol-version'] === '2026-07-28'
    return isModern
      ? resultOf('tools/call', { structuredContent: [1] })(request, next, origin)
      : next()
  },
  'a tool whose response does not come on its event stream in time': [
    onMethod('tools/call', () => ({
      ...eventStream(''),
      stream: (response) => void response.write(': working\n\n'),
    })),
    { timeoutMs: 4000 },
  ],
  'an event stream of a call that ends early and is resumed by GET': both(
    when(
      ({ headers }) => headers['last-event-id'] === 'a',
      eventStream(`id: b\ndata: ${JSON.stringify(CALLED)}\n\n`),
    ),
    both(
      rejectsModern,
      onMethod('tools/call', () => eventStream('id: a\nretry: 1\ndata:\n\n')),
    ),
  ),
  'a rate limit that refuses a request for a second': when(
    () => ++requests % 12 === 0,
    json({ error: 'slow down' }, 429, { 'retry-after': '1' }),
  ),
}

const PROTECTED: Readonly<Record<string, Defect>> = {
  'nothing unusual': (_, next) => next(),
  'a Basic challenge before the Bearer one': challenge(({ headers = {} }) => ({
    headers: { 'www-authenticate': `Basic realm="a", ${headers['www-authenticate']}` },
  })),
  'secrets, and client_secret_basic alone': withSecrets(['client_secret_basic']),
  'secrets, and no list of methods': withSecrets(undefined),
}

async function start({ onTestFinished }: TestContext, options: ReferenceOptions = {}) {
  const server = await startReferenceServer(options)
  onTestFinished(() => server.stop())
  return server
}

describe('the doctor at a server without a fault', () => {
  it.for(Object.entries(OPEN))('finds nothing at an open one with %s', async ([, row], context) => {
    const [defect, options] = Array.isArray(row) ? row : [row, {}]
    const server = await start(context, { defect })
    const report = await examineQuickly(server.url, options)
    context.expect(codesOf(report)).toEqual([])
    context.expect(disconnected(report)).toEqual([])
    context.expect(report.isReached).toBe(true)
  })

  it.for(Object.entries(PROTECTED))(
    'finds nothing at a protected one with %s, and gets a token',
    async ([, defect], context) => {
      const server = await start(context, { isProtected: true, defect })
      const report = await examineQuickly(server.url, { active: true })
      context.expect(codesOf(report)).toEqual([])
      context.expect(disconnected(report)).toEqual([])
      context.expect(report.notes.join()).not.toContain('--token')
    },
  )

  it('registers nothing and redeems nothing without --active', async (context) => {
    const server = await start(context, { isProtected: true })
    const report = await examineQuickly(server.url)
    context.expect(codesOf(report)).toEqual([])
    const paths = server.requests.map(({ path }) => path)
    context.expect(paths.filter((path) => ['/register', '/token'].includes(path))).toEqual([])
    context.expect(report.notes.join()).toContain('--token')
  })

  it('ends each session that it opens', async (context) => {
    const opened = new Set<string | undefined>()
    const defect = onMethod('initialize', (_, next) => {
      opened.add(next?.headers?.['mcp-session-id'])
      return next
    })
    const server = await start(context, { defect })
    await examineQuickly(server.url)
    const deleted = server.requests.filter(({ method }) => method === 'DELETE')
    context.expect(new Set(deleted.map(({ headers }) => headers['mcp-session-id']))).toEqual(opened)
  })

  it('reads a view that has a policy of origins', async (context) => {
    const csp = { connectDomains: ['wss://a.example', 'https://*.example.com'], frameDomains: [] }
    const view = { uri: 'ui://a/b', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>' }
    const server = await start(context, { defect: withView({ ...view, _meta: { ui: { csp } } }) })
    context.expect(codesOf(await examineQuickly(server.url))).toEqual([])
    const read = server.requests.filter(({ json }) => json.method === 'resources/read')
    context.expect(read.map(({ headers }) => headers['mcp-name'])).toContain('ui://a/b')
  })

  it.for([
    { when: 'after the handshake', isOpen: isHandshake },
    { when: 'at the first call', isOpen: (method: unknown) => method !== 'tools/call' },
    {
      when: 'at all but the handshake and the lists of a session',
      isOpen: (method: unknown) => isHandshake(method) || method === 'tools/list',
    },
  ])('finds nothing where a token is asked for $when', async ({ isOpen }, context) => {
    const open = await start(context, { defect: rejectsModern })
    const closed = await start(context, {
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
        const body = await response.text()
        return { status, headers: Object.fromEntries(response.headers), body }
      },
    })
    const report = await examineQuickly(closed.url, { active: true })
    context.expect(codesOf(report)).toEqual([])
    context.expect(closed.requests.some(({ path }) => path === '/token')).toBe(true)
    const unsigned = await examineQuickly(closed.url)
    context.expect(codesOf(unsigned)).toEqual([])
    context.expect(unsigned.notes.join()).toContain('--token')
  })
})

describe('the doctor', () => {
  it('names session-lost-at-restart when sessions are in memory alone', async (context) => {
    let isRestarted = false
    const server = await start(context, {
      defect: both(
        when(
          ({ headers }) => isRestarted && headers['mcp-session-id'] !== undefined,
          refusal(404, 'Not found', -32001),
        ),
        rejectsModern,
      ),
    })
    const report = await examineQuickly(server.url, {
      restart: 'true',
      onProgress: (activity) => {
        isRestarted = activity === 'Waiting for the restart'
      },
    })
    context.expect(codesOf(report)).toEqual(['session-lost-at-restart'])
    context.expect(disconnected(report)).toEqual([])
  })

  it('names token-refused when a header of the command line is refused without an authorization', async (context) => {
    const defect = onMethod('tools/call', () => json({ error: 'expired' }, 401))
    const server = await start(context, { defect })
    const headers = { 'x-api-key': 'old' }
    context
      .expect(codesOf(await examineQuickly(server.url, { headers })))
      .toEqual(['token-refused'])
    context.expect(codesOf(await examineQuickly(server.url))).toEqual(['authorization-not-offered'])
  })

  it('names authorization-page-missing without --active too', async (context) => {
    const row = PLANTED.find(({ fault }) => fault === 'authorization-page-missing')
    const server = await start(context, {
      isProtected: true,
      ...(row?.plant && { defect: row.plant }),
    })
    context
      .expect(codesOf(await examineQuickly(server.url)))
      .toEqual(['authorization-page-missing'])
  })
})
