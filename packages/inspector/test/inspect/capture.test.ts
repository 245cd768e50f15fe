/** Streams, sessions, tasks, refusals and spans in the traffic, and what happens without the object or in a flood. */
// features: sessions, changes

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { failCalls, objectsIn } from '../../../../test/auth/server/support/scoped-objects.ts'
import { createFullEdgeway } from '../../../../test/support/full-app.ts'
import { openObjectsOf } from '../../../../test/support/opened-objects.ts'
import { keepHandler, sessionServer } from '../../../../test/support/session-server.ts'
import { inspector } from '../../src/inspector/index.ts'
import type { TrafficEntry } from '../../src/inspector/traffic-entry.ts'
import { LEASE_MS, MAX_ENTRIES } from '../../src/objects/traffic/traffic-log.ts'
import type { TrafficObject } from '../../src/objects/traffic/traffic-object.ts'
import { createBindings } from '../timeline/support/recorded-server.ts'
import { AUDIENCE, openInspected, openTraffic } from './support/inspected-server.ts'

const kindsOf = (entries: readonly TrafficEntry[]) => entries.map(({ kind }) => kind)

describe('the traffic', () => {
  it('has the notifications and the result of a stream, and its end', async () => {
    const server = openInspected({ app: { limits: { streamAfterMs: 1 } } })
    const response = await server.fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'slow',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method: 'tools/call',
        params: {
          name: 'slow',
          arguments: {},
          _meta: {
            progressToken: 7,
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await response.text()
    const entries = await server.entries()
    expect(kindsOf(entries)).toEqual(['opened', 'message', 'message', 'span', 'message', 'closed'])
    expect(entries[2]).toMatchObject({
      from: 'server',
      message: { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
    })
    expect(entries[4]).toMatchObject({ from: 'server', message: { id: 'a', result: {} } })
    expect(entries[5]).toMatchObject({ kind: 'closed', outcome: 'ok', status: 200 })
  })

  it('has a leniency and a refusal by their names', async () => {
    const server = openInspected()
    await server.fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: '{"jsonrpc":"2.0"}',
    })
    const entries = await server.entries()
    expect(kindsOf(entries)).toEqual(['opened', 'leniency', 'refusal', 'message', 'closed'])
    expect(entries[1]).toMatchObject({ name: 'accept-incomplete', text: expect.any(String) })
    expect(entries[2]).toMatchObject({
      name: 'message-malformed',
      status: 400,
    })
    expect(entries[4]).toMatchObject({ outcome: 'refused', status: 400 })
  })

  it('has the refusal of a request without a token', async () => {
    const server = openInspected({ isProtected: true })
    expect((await server.call('tools/list')).status).toBe(401)
    const refusals = (await server.entries()).filter(({ kind }) => kind === 'refusal')
    expect(refusals).toMatchObject([{ name: 'token-missing', text: 'An access token is required' }])
  })

  it('has each message of a batch', async () => {
    const server = openInspected()
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]
    await server.fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-03-26',
      },
      body: JSON.stringify(batch),
    })
    const messages = (await server.entries()).filter(({ kind }) => kind === 'message')
    expect(messages).toMatchObject([
      { from: 'client', message: { id: 1 } },
      { from: 'client', message: { id: 2 } },
      { from: 'server', message: { id: 1 } },
      { from: 'server', message: { id: 2 } },
    ])
  })

  it('has requests of discovery without their bodies, and no request of a page', async () => {
    const server = openInspected({ isProtected: true })
    await server.fetch('/.well-known/oauth-protected-resource/mcp')
    await server.fetch('/inspect/config.json')
    await server.fetch('/')
    const entries = await server.entries()
    expect(entries).toMatchObject([
      { kind: 'opened', http: 'GET', path: '/.well-known/oauth-protected-resource/mcp' },
      { kind: 'closed', status: 200 },
    ])
  })

  it('has the requests and the streams of a session, with the key of the session', async () => {
    const { fetch } = openObjectsOf(
      createFullEdgeway(sessionServer, {
        audience: 'inspected-sessions',
        telemetry: () => undefined,
        inspector: inspector(),
        limits: { streamAfterMs: 1 },
      }),
    )
    const ctx = { waitUntil: (work: Promise<unknown>) => void work }
    const send = async (path: string, init?: RequestInit) =>
      fetch(
        new Request(`http://localhost${path}`, init),
        { ...env, EDGEWAY_ORIGIN: 'development' },
        ctx,
      )
    const traffic = await openTraffic(send)
    const post = async (body: object, session?: string) => {
      const response = await send('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      })
      await response.text()
      return response
    }
    const clientInfo = { name: 'probe', version: '2.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const opened = await post({ id: 1, method: 'initialize', params })
    const session = opened.headers.get('mcp-session-id') ?? ''
    await post({ method: 'notifications/initialized' }, session)
    const handler = keepHandler(async (ctx) => {
      await ctx.log('info', 'on the way')
      return 'done'
    })
    const call = { name: 'run', arguments: handler }
    await post({ id: 2, method: 'tools/call', params: call }, session)
    const entries: TrafficEntry[] = []
    while (entries.filter(({ kind }) => kind === 'closed').length < 3) {
      entries.push(await traffic.next())
    }
    const openings = entries.filter(({ kind }) => kind === 'opened')
    expect(openings).toMatchObject([
      { era: 'session', revision: '2025-11-25', client: clientInfo },
      { era: 'session', revision: '2025-11-25', client: clientInfo },
      { era: 'session', revision: '2025-11-25', client: clientInfo },
    ])
    const keys = new Set(openings.map((entry) => entry.kind === 'opened' && entry.session))
    expect(keys.size).toBe(1)
    expect([...keys][0]).toMatch(/^[0-9a-f]{16}$/)
    expect(JSON.stringify(entries)).not.toContain(session)
    const answer = entries.findLast(({ kind }) => kind === 'message')
    expect(answer).toMatchObject({ from: 'server', message: { id: 2, result: {} } })
    await traffic.close()
  })
})

describe('a recording that cannot be stored', () => {
  it('fails no call when the object is down', async () => {
    const server = openInspected({ bindings: failCalls(createBindings(), ['traffic', 'timeline']) })
    const response = await server.call('tools/call', { name: 'echo', arguments: { text: 'hi' } })
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'hi' }] } })
    expect((await server.fetch('/inspect/traffic')).status).toBe(500)
  })

  it('says that the binding is missing', async () => {
    const server = openInspected({ bindings: { EDGEWAY_ORIGIN: 'development' } })
    for (const path of ['traffic', 'traffic.json', 'timeline', 'timeline.json']) {
      const response = await server.fetch(`/inspect/${path}`)
      expect([path, response.status]).toEqual([path, 503])
      expect(await response.text()).toContain('MCP_OBJECTS')
    }
    expect((await server.call('tools/list')).status).toBe(200)
  })

  it('of a message of 4 MB is cut, and the call is served', async () => {
    const server = openInspected()
    const text = 'word '.repeat(800_000)
    const response = await server.call('tools/call', { name: 'echo', arguments: { text } })
    expect(response.status).toBe(200)
    const messages = (await server.entries()).filter((entry) => entry.kind === 'message')
    expect(messages).toMatchObject([
      { cut: true, bytes: expect.any(Number) },
      { cut: true, message: null },
    ])
    expect(messages[0]?.bytes).toBeGreaterThan(4_000_000)
    expect(JSON.stringify(messages).length).toBeLessThan(10_000)
  })

  it('keeps at most 2,000 entries of a flood, the last ones', async () => {
    const server = openInspected()
    const object = objectsIn<TrafficObject>(server.bindings, 'traffic', AUDIENCE).named('')
    const at = Date.now()
    for (let batch = 0; batch < 13; batch++) {
      const entries = Array.from({ length: 200 }, (_, index) => ({
        at,
        owner: null,
        entry: JSON.stringify({ at, batch, index }),
      }))
      await object.append(entries)
    }
    const numbers: number[] = []
    const read = { waitMs: 0, watcher: 'test', subject: undefined }
    for (let after = 0; ; ) {
      const page = await object.read({ ...read, after })
      if (page === undefined || page.entries.length === 0) break
      numbers.push(...page.entries.map(({ number }) => number))
      after = page.last
    }
    expect(numbers.length).toBeLessThanOrEqual(MAX_ENTRIES)
    expect(numbers.length).toBeGreaterThan(MAX_ENTRIES - 300)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(LEASE_MS).toBe(60_000)
  })
})

describe('GET /inspect/state.json', () => {
  it('has the parts that a server without authorization knows', async () => {
    const state = await (await openInspected().fetch('/inspect/state.json')).json()
    expect(state).toEqual({
      subject: null,
      sessions: null,
      tasks: null,
      grants: null,
      listeners: { open: expect.any(Number) },
    })
  })

  it('has the grants of a subject without their ids', async () => {
    const server = openInspected({ isProtected: true })
    const state = await server.fetch('/inspect/state.json?subject=owner')
    expect(await state.json()).toMatchObject({ subject: 'owner', sessions: [], grants: [] })
  })

  it.each(['', 'x'.repeat(513)])('refuses a subject that is empty or too long', async (subject) => {
    const response = await openInspected().fetch(`/inspect/state.json?subject=${subject}`)
    expect(response.status).toBe(400)
  })
})

describe('GET /inspect/traffic.json', () => {
  const read = async (server: ReturnType<typeof openInspected>, query = '') => {
    const response = await server.fetch(`/inspect/traffic.json${query}`)
    return (await response.json<{ entries: TrafficEntry[] }>()).entries
  }

  it('has the entries of the stream as one document, and those after a number', async () => {
    const server = openInspected()
    expect(await read(server)).toEqual([])
    await server.call('tools/list')
    const entries = await read(server)
    expect(entries).toEqual(await server.entries())
    const [first, ...rest] = entries
    expect(await read(server, `?after=${first?.number}`)).toEqual(rest)
    expect(await read(server, '?after=9999999999999999')).toEqual([])
  })

  it('takes the place of one stream, however often it is read', async () => {
    const server = openInspected()
    await server.call('tools/list')
    for (let count = 0; count < 12; count++) expect(await read(server)).not.toEqual([])
  })

  it('refuses another position', async () => {
    expect((await openInspected().fetch('/inspect/traffic.json?after=x')).status).toBe(400)
  })
})
