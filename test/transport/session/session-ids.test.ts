import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { ENDPOINT, read } from '../../support/door.ts'
import {
  factsOf,
  openSession,
  openSessionDoor,
  SessionClient,
  sealFacts,
} from '../../support/session-client.ts'

const door = openSessionDoor()
const session = await openSession({}, door)
const claims = await factsOf(session.id)

const ended = await openSession({}, door)
await ended.end()

/** The same text with another character in this place. */
const changedAt = (text: string, at: number) => {
  const index = at < 0 ? text.length + at : at
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`
}

const stream = await session.listen()
await stream.next()
await stream.next()

const WRONG_IDS: readonly (readonly [string, string])[] = [
  ['made up', 'a8c4e1c0-5b0e-4c0e-8e7b-1d7f8c2b9a10'],
  ['empty', ''],
  ['of 9 KB', 'A'.repeat(9 * 1024)],
  ['of 9 KB with a true beginning', session.id + 'A'.repeat(9 * 1024)],
  ['truncated by one character', session.id.slice(0, -1)],
  ['truncated to its key', session.id.slice(0, 10)],
  ['longer by one character', `${session.id}A`],
  ['repeated', `${session.id}, ${session.id}`],
  ['changed in its version', changedAt(session.id, 0)],
  ['changed in its key', changedAt(session.id, 4)],
  ['changed in its first byte', changedAt(session.id, 10)],
  ['changed in the middle', changedAt(session.id, 150)],
  ['changed in its last byte', changedAt(session.id, -2)],
  ['expired', await sealFacts({ ...claims, expiresAt: Date.now() - 1 })],
  ['of another server', await sealFacts(claims, 'another')],
  ['of another transport', await sealFacts({ ...claims, transport: 'http-sse' })],
  ['an event id', stream.lastId],
  ['the seal of an event id', stream.lastId.slice(0, stream.lastId.indexOf('~'))],
  ['of a session that was ended', ended.id],
]

const NOT_FOUND = { code: -32001, message: 'Session not found. Open a new session with initialize' }

describe.each(WRONG_IDS)('a session id that is %s', (_, id) => {
  const wrong = new SessionClient(door, id, '2025-11-25')

  it('is not found, whatever comes with it', async () => {
    const request = await read(await wrong.send('ping', {}, 'p'))
    expect([request.status, request.body]).toEqual([
      404,
      { jsonrpc: '2.0', id: 'p', error: NOT_FOUND },
    ])
    const answer = await read(await wrong.post({ jsonrpc: '2.0', id: 'ask-1', result: {} }))
    expect([answer.status, answer.body]).toEqual([
      404,
      { jsonrpc: '2.0', id: 'ask-1', error: NOT_FOUND },
    ])
    const notification = await read(
      await wrong.post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    )
    expect([notification.status, notification.body]).toEqual([
      404,
      { jsonrpc: '2.0', error: NOT_FOUND },
    ])
    for (const { status, body } of [await read(await wrong.get()), await wrong.end()]) {
      expect([status, body]).toEqual([404, { jsonrpc: '2.0', error: NOT_FOUND }])
    }
  })
})

describe('a stream', () => {
  it('is found with the id of its session alone', async () => {
    for (const [, id] of WRONG_IDS.slice(0, -1)) {
      const wrong = new SessionClient(door, id, '2025-11-25')
      const { status, body } = await read(await wrong.get(stream.lastId))
      expect([id, status, body.error]).toEqual([id, 404, NOT_FOUND])
    }
  })

  it('is gone with its session', async () => {
    const client = await openSession({}, door)
    const own = await client.listen()
    await own.next()
    await own.next()
    await client.end()
    const { status, body } = await read(await client.get(own.lastId))
    expect([status, body.error]).toEqual([404, NOT_FOUND])
  })
})

describe('a session id', () => {
  it('that is right is served beside all of these', async () => {
    expect(await session.request('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('that is sealed with other words than ours is another session, and finds nothing of this', async () => {
    const other = new SessionClient(
      door,
      await sealFacts({ ...claims, name: 'b'.repeat(32) }),
      '2025-11-25',
    )
    expect((await other.get(stream.lastId)).status).toBe(400)
  })

  it('is visible ASCII, as the specification asks', async () => {
    const capabilities = { elicitation: {}, experimental: { grüße: { '\u{1f600}': '…' } } }
    const { id } = await openSession({ capabilities, clientInfo: { name: 'ü', version: '≥1' } })
    expect(id).toMatch(/^[\x21-\x7e]+$/)
  })

  it('expires, and is not found from that moment on', async () => {
    const brief = openSessionDoor({ limits: { sessionLifetimeMs: 60_000 } })
    const client = await openSession({}, brief)
    advanceClock(59_000)
    expect((await client.send('ping')).status).toBe(200)
    advanceClock(1000)
    expect((await client.send('ping')).status).toBe(404)
    expect((await client.get()).status).toBe(404)
    expect((await client.end()).status).toBe(404)
  })

  it('lives 30 days where nothing else is said', async () => {
    const client = await openSession()
    advanceClock(30 * 86_400_000 - 60_000)
    expect((await client.send('ping')).status).toBe(200)
    advanceClock(60_000)
    expect((await client.send('ping')).status).toBe(404)
  })

  it('is given by initialize alone, and a new one by the next', async () => {
    const initialize = { protocolVersion: '2025-11-25', capabilities: {} }
    const again = await session.send('initialize', initialize)
    const id = again.headers.get('mcp-session-id')
    expect(id).not.toBeNull()
    expect(id).not.toBe(session.id)
    expect((await session.send('ping')).headers.get('mcp-session-id')).toBeNull()
    const next = new SessionClient(door, id ?? '', '2025-11-25')
    expect((await next.send('ping')).status).toBe(200)
  })

  it('that is wrong does not keep a client from initializing', async () => {
    const wrong = new SessionClient(door, 'gone', '2025-11-25')
    const response = await wrong.send('initialize', { protocolVersion: '2025-06-18' })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).not.toBeNull()
  })

  it('is not given where the handshake fails', async () => {
    const response = await door.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect((await response.json<{ error: { code: number } }>()).error.code).toBe(-32602)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  it('changes nothing for a message that claims the modern revision', async () => {
    const response = await door.post(
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

describe('without a session id', () => {
  const at = (method: string, headers: Record<string, string> = {}) =>
    door.fetch(new Request(ENDPOINT, { method, headers }))

  it.each([
    ['GET', 'POST, DELETE, OPTIONS'],
    ['PUT', 'GET, POST, DELETE, OPTIONS'],
    ['PATCH', 'GET, POST, DELETE, OPTIONS'],
    ['HEAD', 'GET, POST, DELETE, OPTIONS'],
  ])('%s is not served, and says what is', async (method, allow) => {
    const { status, headers } = await at(method, { accept: 'text/event-stream' })
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  it('DELETE says what is missing', async () => {
    const { status, body } = await read(await at('DELETE'))
    expect([status, body.error.code]).toEqual([400, -32600])
  })
})

describe('with a session id', () => {
  it.each(['PUT', 'PATCH', 'HEAD'])('%s is not served', async (method) => {
    const headers = { 'mcp-session-id': session.id }
    const { status } = await door.fetch(new Request(ENDPOINT, { method, headers }))
    expect(status).toBe(405)
  })

  it.each(['application/json', 'text/html', 'text/html, */*;q=0'])(
    'GET of %s is not served: a stream is all there is',
    async (accept) => {
      const { status, body } = await read(await session.get(undefined, { accept }))
      expect([status, body.error.code]).toEqual([406, -32600])
    },
  )

  it.each(['*/*', ''])('GET of "%s" is served: it does not rule out a stream', async (accept) => {
    const response = await session.get(undefined, { accept })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    await response.body?.cancel()
  })

  it('DELETE ends it once', async () => {
    const client = await openSession()
    const first = await client.end()
    expect([first.status, first.body]).toEqual([204, ''])
    expect((await client.end()).status).toBe(404)
    expect((await client.send('ping')).status).toBe(404)
    expect((await client.get()).status).toBe(404)
  })
})
