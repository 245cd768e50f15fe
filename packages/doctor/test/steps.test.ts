/** Steps at what no test server can show: public URLs, long silences, restarts. */
import { describe, expect, it } from 'vitest'
import { RESOURCE_CHECKS } from '../../faults/src/checks/resource.ts'
import { CLIENTS, type Client } from '../src/doctor/clients.ts'
import type { HttpResponse } from '../src/doctor/http/http-client.ts'
import { createHttpClient } from '../src/doctor/http/http-client.ts'
import { type RpcReply, sendRpc } from '../src/doctor/mcp/rpc.ts'
import type { Observations } from '../src/doctor/observations.ts'
import type { DiscoveryObservation } from '../src/doctor/probes/authorization.ts'
import { probeReach } from '../src/doctor/probes/reach.ts'
import type { StreamObservation } from '../src/doctor/probes/stream.ts'
import { discovery } from '../src/doctor/steps/discovery.ts'
import { limits } from '../src/doctor/steps/limits.ts'
import { reach } from '../src/doctor/steps/reach.ts'
import { restart } from '../src/doctor/steps/session.ts'
import { signIn } from '../src/doctor/steps/sign-in.ts'
import { stream } from '../src/doctor/steps/stream.ts'
import { walk } from '../src/doctor/walk.ts'
import { startHttpServer } from './http-server.ts'
import { stoppedAfterAll } from './started.ts'

const started = stoppedAfterAll()

const PUBLIC = new URL('https://mcp.example.com/mcp')

function clientNamed(name: string): Client {
  const client = CLIENTS.find((one) => one.name === name)
  if (client === undefined) throw new Error(`No client ${name}`)
  return client
}

const CURSOR = clientNamed('Cursor')

function response(change: Partial<HttpResponse> = {}): HttpResponse {
  return { url: PUBLIC, status: 200, headers: {}, text: '', end: 'complete', ...change }
}

const result: RpcReply = {
  kind: 'result',
  http: response(),
  result: {},
  isBatch: false,
  others: [],
}
const refused = (status: number): RpcReply => ({ kind: 'http', http: response({ status }) })

function observations(change: object, pasted = PUBLIC): Observations {
  const http = createHttpClient({
    timeoutMs: 1,
    given: new URL('https://a.example'),
    userAgent: 'test',
  })
  const endpoint = { url: pasted, http, headers: {} }
  const seen = { asClaude: result, anyAccept: result, bothAccept: result }
  return { pasted, reach: { endpoint, redirects: [], ...seen }, ...change }
}

const codes = (found: readonly { readonly code: string }[]) => found.map(({ code }) => code)

describe('the step of the answers', () => {
  it.each([
    [9, ['rate-limited']],
    [10, []],
  ])('judges a limit after %d requests', (served, expected) => {
    const seen = observations({ cut: { why: 'rate-limited', served } })
    expect(codes(limits.check(seen, CURSOR))).toEqual(expected)
  })
})

describe('a request of the doctor', () => {
  it('ends with its response, although the stream stays open', async () => {
    const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })
    const server = await started(
      startHttpServer(() => ({
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        stream: (stream) => void stream.write(`data: ${result}\n\n`),
      })),
    )
    const given = new URL(server.origin)
    const http = createHttpClient({ timeoutMs: 20_000, given, userAgent: 'test' })
    const reply = await sendRpc(http, given, { id: 1, method: 'ping' }, {})
    expect(reply).toMatchObject({ kind: 'result', http: { end: 'stopped' } })
  })
})

describe('the search for the older transport', () => {
  it('ends with the first event, although the stream stays open', async () => {
    const server = await started(
      startHttpServer(({ method }) =>
        method === 'GET'
          ? {
              status: 200,
              headers: { 'content-type': 'text/event-stream' },
              stream: (stream) => void stream.write('event: endpoint\ndata: /messages\n\n'),
            }
          : { status: 405 },
      ),
    )
    const url = new URL(server.origin)
    // Longer than a test may take.
    const http = createHttpClient({ timeoutMs: 600_000, given: url, userAgent: 'test' })
    expect(await probeReach({ url, http, headers: {} })).toMatchObject({
      legacySse: { failure: expect.stringContaining('status 405') },
    })
  })
})

describe('the step that reaches the endpoint', () => {
  it.each([
    ['https://mcp.example.com/mcp', []],
    ['http://mcp.example.com/mcp', ['not-https']],
    ['https://mcp.example.com:8443/mcp', ['port-not-443']],
    ['http://localhost:8787/mcp', []],
  ])('judges the URL %s', (url, expected) => {
    expect(codes(reach.check(observations({}, new URL(url)), CURSOR))).toEqual(expected)
  })

  it('breaks only the clients that connect from the internet for a plain http URL', () => {
    const seen = observations({}, new URL('http://mcp.example.com/mcp'))
    const connects = CLIENTS.filter((client) => walk(seen, client).connects).map(({ name }) => name)
    expect(connects).toEqual([
      'Claude Code',
      'VS Code',
      'Cursor',
      'Codex',
      'Gemini CLI',
      'Inspector',
    ])
  })

  it.each([
    ['host-not-found', 'a name without an address', 'http://name.invalid/'],
    ['tls-invalid', 'a server without TLS', 'https'],
  ])('reports %s for %s', async (kind, _, target) => {
    const server = await startHttpServer(() => ({ status: 200 }))
    const url = target === 'https' ? server.origin.replace('http:', 'https:') : target
    const http = createHttpClient({
      timeoutMs: 5000,
      given: new URL('http://127.0.0.1'),
      userAgent: 'test',
    })
    const reply = await http.send({ method: 'GET', url: new URL(url) })
    await server.stop()
    expect(reply).toMatchObject({ ok: false, failure: { kind } })
  })
})

describe('the step that finds the authorization server', () => {
  const found = (origin: string, plain = origin): DiscoveryObservation => {
    const issuer = new URL(origin)
    const document = (value: object) => ({
      url: new URL('/.well-known/x', origin),
      reply: {
        ok: true as const,
        ...response({ headers: { 'access-control-allow-origin': '*' } }),
      },
      value: value as Readonly<Record<string, unknown>>,
    })
    const resource = document({ resource: PUBLIC.href, authorization_servers: [origin] })
    const server = document({
      issuer: origin,
      authorization_endpoint: `${plain}/authorize`,
      token_endpoint: `${plain}/token`,
      registration_endpoint: `${plain}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    return {
      challenge: response({ status: 401 }),
      parameters: { resource_metadata: 'https://mcp.example.com/.well-known/x' },
      resourceDocuments: [resource],
      resource,
      issuer,
      issuerText: origin,
      serverDocuments: [server],
      server,
      unreachable: [],
      inBrowser: [],
    }
  }

  it.each([
    ['https://mcp.example.com', 'https://mcp.example.com', []],
    ['http://localhost:8080', 'http://localhost:8080', ['metadata-names-internal-host']],
    ['https://auth.internal', 'https://auth.internal', ['metadata-names-internal-host']],
    ['https://mcp.example.com', 'http://10.0.0.3', ['metadata-names-internal-host']],
    ['https://mcp.example.com', 'http://mcp.example.com', ['endpoint-not-https']],
  ])('judges the issuer %s with endpoints at %s', (issuer, endpoints, expected) => {
    const seen = observations({ discovery: found(issuer, endpoints) })
    expect(codes(discovery.check(seen, CURSOR))).toEqual(expected)
  })
})

describe('the comparison of the resource with the pasted URL', () => {
  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp/', 'resource-trailing-slash'],
    ['https://a.example/mcp/', 'https://a.example/mcp', 'url-trailing-slash'],
    ['https://a.example/mcp/', 'https://a.example/mcp/', undefined],
    ['https://a.example/', 'https://a.example', undefined],
  ])('of %s and the resource %s finds %s', (pasted, resource, expected) => {
    const found = Object.entries(RESOURCE_CHECKS)
      .filter(([, check]) => check({ pasted, resource: { resource } })?.passed === false)
      .map(([code]) => code)
    expect(found.filter((code) => code !== 'authorization-servers-missing')).toEqual(
      expected === undefined ? [] : [expected],
    )
  })
})

describe('the step that signs in', () => {
  const page = (
    policy: string,
    text = '<!doctype html><form method="post"></form>',
    { name, redirectUri } = CURSOR,
  ) => {
    const reply = response({ text, headers: { 'content-security-policy': policy } })
    const request = { clientId: 'c', redirectUri, resource: PUBLIC.href }
    return observations({
      discovery: { server: { value: {} }, unreachable: [] },
      signIn: {
        registrations: new Map(),
        pages: new Map([[name, { request, state: 's', reply: { ok: true, ...reply } }]]),
      },
    })
  }

  it.each([
    ["default-src 'none'; form-action 'self'", ['consent-page-csp']],
    ["form-action 'self' https://www.cursor.com", ['consent-page-csp']],
    ["form-action 'self' cursor:", []],
    ['form-action *', []],
    ["default-src 'none'", []],
  ])('judges the policy %s', (policy, expected) => {
    expect(codes(signIn.check(page(policy), CURSOR))).toEqual(expected)
  })

  it.each([
    ['https://claude.ai', []],
    ['https://claude.ai:443/api/', []],
    ['http://claude.ai', []],
    ['https:', []],
    ['claude.ai', []],
    ['claude.ai:*', []],
    ['https://claude.ai.evil.example', ['consent-page-csp']],
    ['https://claude.ai:8443', ['consent-page-csp']],
    ['https://*.claude.ai', ['consent-page-csp']],
    ['https://*.ai', []],
  ])('compares the source %s with the host of the redirect URI', (source, expected) => {
    const claude = clientNamed('Claude (web)')
    const reply = page(`form-action 'self' ${source}`, undefined, claude)
    expect(codes(signIn.check(reply, claude))).toEqual(expected)
  })

  it('does not judge the policy of a page that asks for a password first', () => {
    const login = '<!doctype html><form method="post"><input type="password"></form>'
    expect(signIn.check(page("form-action 'self'", login), CURSOR)).toEqual([])
  })
})

describe('the step that listens to the GET stream', () => {
  const watched = (change: Partial<NonNullable<StreamObservation['stream']>>) =>
    observations({
      session: {
        open: {
          initialized: { ok: true, ...response({ status: 202 }) },
          definitions: { capabilities: {}, lists: [], views: [] },
          unknownMethod: result,
          stream: {
            opened: { status: 200, contentType: 'text/event-stream', allow: undefined },
            stream: {
              headersAfterMs: 10,
              firstByteAfterMs: 20,
              longestSilenceMs: 15_000,
              watchedMs: 16_000,
              hasEnded: false,
              text: ': open\n\n',
              secondStatus: 200,
              ...change,
            },
          },
        },
      },
    })

  it.each([
    ['a keep-alive after 15 seconds', {}, []],
    ['silence for 26 seconds', { longestSilenceMs: 26_000 }, ['stream-no-keep-alive']],
    [
      'silence from the beginning',
      { firstByteAfterMs: undefined, longestSilenceMs: 26_000 },
      ['stream-no-keep-alive'],
    ],
    ['a first byte after 8 seconds', { firstByteAfterMs: 8000 }, ['stream-no-first-byte']],
    ['a first byte after 4 seconds', { firstByteAfterMs: 4000 }, []],
    ['silence and an end', { hasEnded: true, longestSilenceMs: 26_000, watchedMs: 30_000 }, []],
    [
      'an end for polling',
      { hasEnded: true, watchedMs: 10, text: 'id: 1\nretry: 500\ndata:\n\n' },
      [],
    ],
    [
      'an event of an unknown type',
      { text: 'event: ping\ndata: {}\n\n' },
      ['stream-event-unknown'],
    ],
    [
      'an event of an unknown type with CRLF',
      { text: 'event: ping\r\ndata: {}\r\n\r\n' },
      ['stream-event-unknown'],
    ],
    ['an event that is cut within its type', { text: 'data: {}\n\nevent: mess' }, []],
    ['an event that is cut within a type of its own', { text: ': open\n\nevent: ping\ndata' }, []],
  ])('judges %s', (_, change, expected) => {
    expect(codes(stream.check(watched(change), CURSOR))).toEqual(expected)
  })

  it('does not concern clients without a stream', () => {
    expect(stream.check(watched({ longestSilenceMs: 26_000 }), clientNamed('ChatGPT'))).toEqual([])
  })
})

describe('the step that continues after a restart', () => {
  it.each([
    ['a session that lives on', { session: result, initialize: result }, []],
    ['a server without sessions', { initialize: result }, []],
    [
      'a session that is not found',
      { session: refused(404), initialize: result },
      ['session-lost-at-restart'],
    ],
    [
      'a session that is a bad request',
      { session: refused(400), initialize: result },
      ['session-lost-not-404'],
    ],
    ['a token that is refused', { initialize: refused(401) }, ['authorization-lost-at-restart']],
  ])('judges %s', (_, seen, expected) => {
    const observed = observations({ token: 't', restart: seen })
    expect(codes(restart.check(observed, CURSOR))).toEqual(expected)
  })
})
