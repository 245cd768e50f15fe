/** What is recorded, when, and what is never recorded: through the endpoints of a server. */
import { describe, expect, it } from 'vitest'
import { Tables } from '../../../../durable-objects/tables.ts'
import { answerCalls, failCalls } from '../../../../test/auth/server/support/scoped-objects.ts'
import { inPart, objectsOfKind } from '../../../../test/support/objects.ts'
import { createStatements, MIGRATIONS } from '../../src/objects/log/schema.ts'
import type { TimelineObject } from '../../src/objects/log/timeline-object.ts'
import {
  AUDIENCE,
  advance,
  createBindings,
  openRecorded,
  type RecordedServer,
} from './support/recorded-server.ts'
import { STATE, StrictClient } from './support/strict-client.ts'

const PRODUCTION = 'https://mcp.example.com'
const HOUR_MS = 3_600_000

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

function post(server: RecordedServer, body: object, headers = {}): Promise<Response> {
  return server.fetch(server.url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  })
}

const list = (id: number, more = {}) => ({ jsonrpc: '2.0', id, method: 'tools/list', ...more })

describe('the recording of requests', () => {
  it('is on in development, where the configured origin is a loopback name', async () => {
    const server = openRecorded()
    await post(server, list(1))
    expect(await server.control.connections()).toHaveLength(1)
  })

  it.each([
    ['the configured origin is not a loopback name', {}, {}],
    ['a proxy rewrites Host to a loopback name', {}, { 'cf-connecting-ip': '192.0.2.1' }],
  ])('is off when %s', async (title, options, headers) => {
    const isProxied = title.startsWith('a proxy')
    const server = openRecorded({ ...options, ...(!isProxied && { origin: PRODUCTION }) })
    await post(server, list(1), headers)
    expect(await server.control.connections()).toEqual([])
  })

  it('is off in production at a request for a loopback name', async () => {
    const server = openRecorded({ origin: PRODUCTION })
    await server.fetch('http://localhost/mcp', { method: 'POST', body: '{}' })
    expect(await server.control.connections()).toEqual([])
  })

  it('records production while the owner has switched it on, also in an isolate that was off', async () => {
    const server = openRecorded({ origin: PRODUCTION })
    await post(server, list(1))
    await openRecorded({ origin: PRODUCTION, bindings: server.bindings }).control.switchOn({
      forMs: HOUR_MS,
    })
    advance(30_001)
    await post(server, list(2))
    await post(server, list(3))
    expect((await server.connection()).steps).toHaveLength(2)
    advance(HOUR_MS)
    await post(server, list(4))
    expect((await server.connection()).steps).toHaveLength(2)
  })

  it('ends in production when the owner switches it off', async () => {
    const server = openRecorded({ origin: PRODUCTION })
    await server.control.switchOn({ forMs: HOUR_MS })
    await post(server, list(1))
    await server.control.switchOff()
    await post(server, list(2))
    expect((await server.connection()).steps).toHaveLength(1)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 25 * HOUR_MS])(
    'cannot be switched on for %s ms',
    async (forMs) => {
      const { control } = openRecorded({ origin: PRODUCTION })
      await expect(control.switchOn({ forMs })).rejects.toThrow(RangeError)
    },
  )

  it('stores nothing in production, and creates no tables, while it is off', async () => {
    const bindings = createBindings()
    const server = openRecorded({ origin: PRODUCTION, isOpen: true, bindings })
    await post(server, list(1))
    const objects = bindings.MCP_OBJECTS as DurableObjectNamespace
    const stub = objectsOfKind<TimelineObject>('timeline', AUDIENCE, objects).named('')
    const tables = await inPart(
      stub,
      (_, { storage }) => new Tables(storage, MIGRATIONS, createStatements).existing === undefined,
    )
    expect(tables).toBe(true)
  })

  it('asks for the switch once in half a minute', async () => {
    let calls = 0
    const bindings = answerCalls(createBindings(), ({ kind }, next) => {
      if (kind === 'timeline') calls += 1
      return next()
    })
    const server = openRecorded({ origin: PRODUCTION, isOpen: true, bindings })
    for (let id = 0; id < 20; id++) await post(server, list(id))
    expect(calls).toBe(1)
    advance(30_001)
    await post(server, list(21))
    expect(calls).toBe(2)
  })

  it('does not fail a request when the timeline cannot be stored', async () => {
    const bindings = failCalls(createBindings(), ['timeline'])
    const server = openRecorded({ isOpen: true, bindings })
    expect((await post(server, list(1))).status).toBe(200)
  })

  it('outlives the isolate: another one reads and continues the connection', async () => {
    const before = openRecorded()
    const { token } = await new StrictClient(before).connect()
    const after = openRecorded({ bindings: before.bindings })
    await new StrictClient(after, { token: token ?? '' }).connect()
    const { steps, verdict } = await after.connection()
    expect(steps).toHaveLength(15)
    expect(verdict.state).toBe('connected')
  })

  it('records a share of the connections, each whole or not at all', async () => {
    const server = openRecorded({ isOpen: true, timeline: { share: 0.5 } })
    const agents = Array.from({ length: 24 }, (_, index) => `client-${index}/1.0`)
    for (const id of [1, 2, 3]) {
      for (const agent of agents) await post(server, list(id), { 'user-agent': agent })
    }
    const connections = await server.control.connections()
    expect(connections.length).toBeGreaterThan(2)
    expect(connections.length).toBeLessThan(22)
    for (const { steps } of connections) expect(steps).toHaveLength(3)
  })

  it('stores the first successful calls of a client, and every refusal', async () => {
    const server = openRecorded({ isOpen: true })
    for (let id = 0; id < 60; id++) await post(server, list(id))
    await server.fetch(server.url, { method: 'POST', headers: JSON_HEADERS, body: '{' })
    const { steps } = await server.connection()
    expect(steps).toHaveLength(41)
    expect(steps.at(-1)?.events).toMatchObject([{ type: 'refusal', name: 'body-not-json' }])
  })

  it('forgets what is older than six hours', async () => {
    const server = openRecorded({ isOpen: true })
    await post(server, list(1))
    advance(6 * HOUR_MS + 1)
    expect(await server.control.connections()).toEqual([])
  })

  it('records refusals and leniencies by name, with their reasons', async () => {
    const server = openRecorded({ isOpen: true })
    await post(server, list(1), { accept: 'application/json' })
    await post(server, list(2), { accept: 'text/html' })
    const { steps } = await server.connection()
    expect(steps.map(({ status, events }) => [status, ...events])).toEqual([
      [
        200,
        {
          type: 'leniency',
          name: 'accept-incomplete',
          message: 'Served, and refused with strict: true',
        },
      ],
      [
        406,
        {
          type: 'refusal',
          name: 'not-acceptable',
          message: 'Accept must list application/json and text/event-stream',
        },
      ],
    ])
  })

  it.each([
    ['is refused after its form was read', 'application/x-www-form-urlencoded'],
    ['is refused before its form is read', 'text/plain'],
  ])('has the grant type of a token request that %s', async (_title, type) => {
    const server = openRecorded()
    const body = 'grant_type=refresh_token&client_id=unknown&refresh_token=secret'
    const headers = { 'content-type': type }
    await server.fetch(`${server.origin}/token`, { method: 'POST', headers, body })
    const { steps } = await server.connection()
    expect(steps).toMatchObject([
      { kind: 'token', title: 'token (refresh_token)', details: { grant: 'refresh_token' } },
    ])
    expect(JSON.stringify(steps)).not.toContain('secret')
  })

  it('takes HEAD and OPTIONS at the metadata for no document', async () => {
    const server = openRecorded()
    const url = `${server.origin}/.well-known/oauth-protected-resource/mcp`
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await server.fetch(url, { method })
    const { steps, verdict } = await server.connection()
    expect(steps.map(({ title, http, status }) => [title, http, status])).toEqual([
      ['protected resource metadata', 'GET', 200],
      ['protected resource metadata', 'HEAD', 200],
      ['CORS preflight', 'OPTIONS', 204],
    ])
    expect(verdict.findings).toEqual([])
  })

  it('does not record other pages of the host', async () => {
    const server = openRecorded({ isOpen: true })
    await server.fetch(`${server.origin}/`)
    await server.fetch(`${server.origin}/shop?item=1`)
    await server.fetch(`${server.origin}/favicon.ico`)
    expect(await server.control.connections()).toEqual([])
  })

  it('records the metadata paths that are not served', async () => {
    const server = openRecorded({ isOpen: true })
    await server.fetch(`${server.origin}/.well-known/oauth-protected-resource/mcp`)
    await server.fetch(`${server.origin}/mcp/.well-known/openid-configuration`)
    await server.fetch(`${server.origin}/.well-known/oauth-authorization-server/of-a-client`)
    const { steps } = await server.connection()
    expect(steps.map(({ title, status, details }) => [title, status, details.url])).toEqual([
      [
        'protected resource metadata',
        404,
        'http://localhost:8787/.well-known/oauth-protected-resource/mcp',
      ],
      [
        'authorization server metadata',
        404,
        'http://localhost:8787/mcp/.well-known/openid-configuration',
      ],
      [
        'authorization server metadata',
        404,
        'http://localhost:8787/.well-known/oauth-authorization-server/*',
      ],
    ])
  })

  it('throws without the option, and without the binding', () => {
    expect(() => openRecorded({ app: { timeline: undefined } as object })).toThrow(TypeError)
    expect(() => openRecorded({ isOpen: true, bindings: {} })).toThrow(/MCP_OBJECTS/)
  })
})

describe('what is recorded', () => {
  const CANARY = 'canary-5d1e'

  it('has no token, code, state, argument, secret, address, query or text of the client', async () => {
    const server = openRecorded()
    const seen: string[] = []
    const watched: RecordedServer = {
      ...server,
      async fetch(url, init) {
        const response = await server.fetch(url, init)
        const body = await response.clone().text()
        const location = response.headers.get('location') ?? ''
        seen.push(...secretsIn(`${url} ${String(init?.body ?? '')} ${body} ${location}`))
        return response
      },
    }
    await new StrictClient(watched, {
      headers: { cookie: `session=${CANARY}`, 'x-real-ip': '127.0.0.1', 'x-api-key': CANARY },
    }).connect()
    const bearer = { authorization: `Bearer ${CANARY}`, 'mcp-session-id': CANARY }
    await post(server, list(1, { params: { cursor: CANARY } }), bearer)
    await post(server, { jsonrpc: '2.0', id: CANARY, method: CANARY, params: { [CANARY]: CANARY } })
    await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: CANARY } })
    await server.fetch(`${server.url}?key=${CANARY}`, { method: 'POST', body: CANARY })
    await server.fetch(`${server.origin}/mcp/${CANARY}`)
    await server.fetch(
      `${server.origin}/authorize?client_id=${CANARY}&state=${CANARY}&scope=%22${CANARY.slice(0, 3)}`,
    )
    await server.fetch(`${server.origin}/authorize/callback?code=${CANARY}&state=${CANARY}`)
    for (const body of [
      `grant_type=${CANARY}&client_id=${CANARY}`,
      `code=${CANARY}&grant_type=authorization_code&client_secret=${CANARY}&resource=https://u:${CANARY}@a.example/mcp?q=${CANARY}`,
    ]) {
      await server.fetch(`${server.origin}/token`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(body.length),
          authorization: `Basic ${btoa(`${CANARY}:${CANARY}`)}`,
        },
        body,
      })
    }
    const stored =
      JSON.stringify(await server.control.connections()) + (await server.control.text())
    expect(seen.length).toBeGreaterThan(4)
    for (const secret of [CANARY, STATE, 'argument-canary-3c55', 'dBjftJeZ4CVP', ...seen]) {
      expect(stored).not.toContain(secret)
    }
  })

  it('has the digest of a network in place of an address, with a key of the deployment', async () => {
    const networks = await Promise.all(
      [0, 1].map(async () => {
        const server = openRecorded({ isOpen: true, origin: PRODUCTION })
        await server.control.switchOn({ forMs: HOUR_MS })
        for (const address of ['192.0.2.7', '192.0.2.8', '198.51.100.7']) {
          await post({ ...server, url: `${PRODUCTION}/mcp` }, list(1), {
            'cf-connecting-ip': address,
          })
        }
        const connections = await server.control.connections()
        expect(JSON.stringify(connections)).not.toMatch(/192\.0|198\.51/)
        return connections.flatMap((connection) => connection.networks)
      }),
    )
    const [one = [], other = []] = networks
    expect(new Set(one).size).toBe(2)
    expect(one.filter((network) => other.includes(network))).toEqual([])
  })
})

/** Tokens, codes and client ids in a text of the protocol. */
function secretsIn(text: string): string[] {
  const found = text.matchAll(
    /(?:"(?:access_token|refresh_token|client_id|client_secret)":"|[?&](?:code|state|code_verifier)=|name="(?:transaction|csrf)"[^>]*value=")([^"&\s]{12,})/g,
  )
  return [...found].map(([, secret = '']) => secret).filter((secret) => !secret.startsWith('http'))
}

describe('GET /inspect/timeline', () => {
  it('shows the connections as text and as JSON in development', async () => {
    const server = openRecorded()
    await new StrictClient(server).connect()
    const text = await server.fetch(`${server.origin}/inspect/timeline`)
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await text.text()).toContain('The client connected and called.')
    const json = await server.fetch(`${server.origin}/inspect/timeline.json`)
    expect(json.headers.get('cache-control')).toBe('no-store')
    const { connections } = await json.json<{ connections: readonly object[] }>()
    expect(connections).toEqual(JSON.parse(JSON.stringify(await server.control.connections())))
  })

  it('is not found in production, also while production is recorded', async () => {
    const server = openRecorded({ origin: PRODUCTION })
    await server.control.switchOn({ forMs: HOUR_MS })
    for (const origin of [PRODUCTION, 'http://localhost:8787', 'http://127.0.0.1']) {
      expect((await server.fetch(`${origin}/inspect/timeline.json`)).status).toBe(404)
    }
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a script tag of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a look-alike host', { origin: 'http://localhost.evil.example:8787' }],
  ])('is refused to %s', async (_, headers) => {
    const server = openRecorded()
    const response = await server.fetch(`${server.origin}/inspect/timeline.json`, { headers })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each(['192.0.2.1', '127.0.0.1, 192.0.2.1', 'unknown'])(
    'is not found for a client that a proxy names as %s',
    async (address) => {
      const server = openRecorded()
      const headers = { 'x-forwarded-for': address }
      const response = await server.fetch(`${server.origin}/inspect/timeline.json`, { headers })
      expect(response.status).toBe(404)
    },
  )

  it('is refused with another method', async () => {
    const server = openRecorded()
    const response = await server.fetch(`${server.origin}/inspect/timeline`, { method: 'POST' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })
})
