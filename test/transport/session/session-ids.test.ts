import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import {
  claimsOf,
  openSession,
  openSessionApp,
  SessionClient,
  sealClaims,
} from '../../support/session-client.ts'
import { ENDPOINT, read } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const app = openSessionApp()
const session = await openSession({}, app)
const claims = await claimsOf(session.id)

const ended = await openSession({}, app)
await ended.end()

/** Replaces one character. */
const changedAt = (text: string, at: number) => {
  const index = at < 0 ? text.length + at : at
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`
}

const stream = await session.listen()
await stream.next()
await stream.next()

const INVALID_IDS: readonly (readonly [string, string])[] = [
  ['a UUID', 'a8c4e1c0-5b0e-4c0e-8e7b-1d7f8c2b9a10'],
  ['empty', ''],
  ['9 KB long', 'A'.repeat(9 * 1024)],
  ['9 KB long and starts with a valid id', session.id + 'A'.repeat(9 * 1024)],
  ['truncated by one character', session.id.slice(0, -1)],
  ['truncated to its key id', session.id.slice(0, 10)],
  ['longer by one character', `${session.id}A`],
  ['repeated', `${session.id}, ${session.id}`],
  ['changed in its version', changedAt(session.id, 0)],
  ['changed in its key id', changedAt(session.id, 4)],
  ['changed in its first byte', changedAt(session.id, 10)],
  ['changed in the middle', changedAt(session.id, 150)],
  ['changed in its last byte', changedAt(session.id, -2)],
  ['expired', await sealClaims({ ...claims, expiresAt: Date.now() - 1 })],
  ['of another server', await sealClaims(claims, 'another')],
  ['of another transport', await sealClaims({ ...claims, transport: 'http-sse' })],
  ['an event id', stream.lastId],
  ['the seal of an event id', stream.lastId.slice(0, stream.lastId.indexOf('~'))],
  ['of a session that was ended', ended.id],
]

const NOT_FOUND = {
  code: -32001,
  message: 'Session not found. Open a new session with initialize [session-not-found]',
}

describe.each(INVALID_IDS)('a session id that is %s', (_, id) => {
  const invalid = new SessionClient(app, id, '2025-11-25')

  it('is answered with the same 404 for every message and method', async () => {
    verifies('streamable-http/refused-messages-have-an-error-status')
    verifies('streamable-http/ended-session-is-not-found')
    const request = await read(await invalid.send('ping', {}, { id: 'p' }))
    expect([request.status, request.body]).toEqual([
      404,
      { jsonrpc: '2.0', id: 'p', error: NOT_FOUND },
    ])
    const answer = await read(await invalid.post({ jsonrpc: '2.0', id: 'ask-1', result: {} }))
    expect([answer.status, answer.body]).toEqual([
      404,
      { jsonrpc: '2.0', id: 'ask-1', error: NOT_FOUND },
    ])
    const notification = await read(
      await invalid.post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    )
    expect([notification.status, notification.body]).toEqual([
      404,
      { jsonrpc: '2.0', error: NOT_FOUND },
    ])
    for (const { status, body } of [
      await read(await invalid.get()),
      await read(await invalid.end()),
    ]) {
      expect([status, body]).toEqual([404, { jsonrpc: '2.0', error: NOT_FOUND }])
    }
  })
})

describe('a stream', () => {
  it('is found only with a valid id of its session', async () => {
    verifies('elicitation/state-is-protected')
    verifies('authorization-security-practices/session-ids-are-random')
    for (const [, id] of INVALID_IDS.slice(0, -1)) {
      const wrong = new SessionClient(app, id, '2025-11-25')
      const { status, body } = await read(await wrong.get(stream.lastId))
      expect([id, status, body.error]).toEqual([id, 404, NOT_FOUND])
    }
  })

  it('is not found after its session has ended', async () => {
    const client = await openSession({}, app)
    const own = await client.listen()
    await own.next()
    await own.next()
    await client.end()
    const { status, body } = await read(await client.get(own.lastId))
    expect([status, body.error]).toEqual([404, NOT_FOUND])
  })
})

describe('a session id', () => {
  it('is served when it is valid', async () => {
    verifies('base-protocol/required-components', 'base-protocol/result-response-has-a-result')
    verifies('streamable-http/endpoint-with-post-and-get', 'ping/ping-is-answered')
    expect(await session.request('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('with another name is another session, which has none of these streams', async () => {
    const other = new SessionClient(
      app,
      await sealClaims({ ...claims, name: 'b'.repeat(32) }),
      '2025-11-25',
    )
    expect((await other.get(stream.lastId)).status).toBe(400)
  })

  it('consists of visible ASCII characters', async () => {
    verifies('streamable-http/session-id-alphabet')
    const capabilities = { elicitation: {}, experimental: { grüße: { '\u{1f600}': '…' } } }
    const { id } = await openSession({ capabilities, clientInfo: { name: 'ü', version: '≥1' } })
    expect(id).toMatch(/^[\x21-\x7e]+$/)
  })

  it('is answered with 404 from its expiry', async () => {
    verifies('streamable-http/ended-session-is-not-found')
    const brief = openSessionApp({ featureLimits: { sessions: { lifetimeMs: 60_000 } } })
    const client = await openSession({}, brief)
    advanceClock(59_000)
    expect((await client.send('ping')).status).toBe(200)
    advanceClock(1000)
    expect((await client.send('ping')).status).toBe(404)
    expect((await client.get()).status).toBe(404)
    expect((await client.end()).status).toBe(404)
  })

  it('expires after 30 days by default', async () => {
    const client = await openSession()
    advanceClock(30 * 86_400_000 - 60_000)
    expect((await client.send('ping')).status).toBe(200)
    advanceClock(60_000)
    expect((await client.send('ping')).status).toBe(404)
  })

  it('is created only by initialize, and each initialize creates a new one', async () => {
    verifies('lifecycle/initialization-comes-first')
    const initialize = { protocolVersion: '2025-11-25', capabilities: {} }
    const again = await session.send('initialize', initialize)
    const id = again.headers.get('mcp-session-id')
    expect(id).not.toBeNull()
    expect(id).not.toBe(session.id)
    expect((await session.send('ping')).headers.get('mcp-session-id')).toBeNull()
    const next = new SessionClient(app, id ?? '', '2025-11-25')
    expect((await next.send('ping')).status).toBe(200)
  })

  it('does not prevent initialize when it is unknown', async () => {
    verifies('authorization-security-practices/session-ids-are-random')
    const wrong = new SessionClient(app, 'gone', '2025-11-25')
    const response = await wrong.send('initialize', { protocolVersion: '2025-06-18' })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).not.toBeNull()
  })

  it('is not created when the handshake fails', async () => {
    const response = await app.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect((await response.json<{ error: { code: number } }>()).error.code).toBe(-32602)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  it('is ignored for a modern message', async () => {
    const response = await app.post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      {
        'mcp-session-id': 'gone',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      },
    )
    const { result } = await response.json<{ result: { resultType: string } }>()
    expect([response.status, result.resultType]).toEqual([200, 'complete'])
  })
})

describe('the endpoint without a session id', () => {
  const at = (method: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(ENDPOINT, { method, headers }))

  it.each([
    ['GET', 'POST, DELETE, OPTIONS'],
    ['PUT', 'GET, POST, DELETE, OPTIONS'],
    ['PATCH', 'GET, POST, DELETE, OPTIONS'],
    ['HEAD', 'GET, POST, DELETE, OPTIONS'],
  ])('answers %s with 405 and the allowed methods', async (method, allow) => {
    verifies('streamable-http/get-is-a-stream-or-405')
    const { status, headers } = await at(method, { accept: 'text/event-stream' })
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  it('answers DELETE with the modern version with 405, with and without a session id', async () => {
    for (const id of [undefined, 'gone', session.id]) {
      const { status, headers } = await at('DELETE', {
        'mcp-protocol-version': '2026-07-28',
        ...(id === undefined ? undefined : { 'mcp-session-id': id }),
      })
      expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    }
  })

  it('answers DELETE with 400', async () => {
    const { status, body } = await read(await at('DELETE'))
    expect([status, body.error.code]).toEqual([400, -32600])
  })
})

describe('the endpoint with a session id', () => {
  it.each(['PUT', 'PATCH', 'HEAD'])('answers %s with 405', async (method) => {
    const headers = { 'mcp-session-id': session.id }
    const { status } = await app.fetch(new Request(ENDPOINT, { method, headers }))
    expect(status).toBe(405)
  })

  it.each(['application/json', 'text/html', 'text/html, */*;q=0'])(
    'answers GET with 406 for Accept: %s',
    async (accept) => {
      verifies('streamable-http/get-accepts-streams')
      const { status, body } = await read(await session.get(undefined, { accept }))
      expect([status, body.error.code]).toEqual([406, -32600])
    },
  )

  it.each(['*/*', ''])('answers GET with a stream for Accept: "%s"', async (accept) => {
    verifies('streamable-http/endpoint-with-post-and-get', 'streamable-http/get-is-a-stream-or-405')
    const response = await session.get(undefined, { accept })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    await response.body?.cancel()
  })

  it('answers the first DELETE with 204, and everything after it with 404', async () => {
    verifies('streamable-http/ended-session-is-not-found')
    const client = await openSession()
    const first = await read(await client.end())
    expect([first.status, first.body]).toEqual([204, ''])
    expect((await client.end()).status).toBe(404)
    expect((await client.send('ping')).status).toBe(404)
    expect((await client.get()).status).toBe(404)
  })
})
