import { describe, expect, it } from 'vitest'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { read } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const open = () => openSession({ version: '2025-03-26' }, openSessionApp())

const request = (id: string | number, method = 'ping', params = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

const call = (id: string | number, handler: Handler) =>
  request(id, 'tools/call', { name: 'run', arguments: keepHandler(handler) })

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' }

const ASKS: Handler = async ({ listRoots }) => `${(await listRoots()).length} folders`

const send = async (session: SessionClient, items: readonly unknown[]) =>
  read(await session.post(items))

/** Sends batches in a session, and without one. */
const SENDERS = [
  [
    'in a session',
    async (version: string) => {
      const session = await openSession({ version }, openSessionApp())
      return async (items: readonly unknown[]) => read(await session.post(items))
    },
  ],
  [
    'without a session',
    async (version: string) => {
      const app = openSessionApp()
      return async (items: readonly unknown[]) =>
        read(await app.post(items, { 'mcp-protocol-version': version }))
    },
  ],
] as const

describe.each(SENDERS)('a batch %s', (_, opened) => {
  it('is answered with one item per request or invalid message, in one JSON array', async () => {
    verifies('base-protocol/batches-are-received')
    const sendAll = await opened('2025-03-26')
    const { status, headers, body } = await sendAll([
      request(1),
      NOTIFICATION,
      call('b', () => 'done'),
      request(3, 'nothing/at/all'),
      5,
    ])
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    const MALFORMED = 'The message must be a JSON object [message-malformed]'
    const answers = [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'b', result: { content: [{ type: 'text', text: 'done' }] } },
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32601, message: 'Method not found: nothing/at/all' },
      },
      { jsonrpc: '2.0', error: { code: -32600, message: MALFORMED } },
    ]
    expect(body).toHaveLength(answers.length)
    expect(body).toEqual(expect.arrayContaining(answers))
  })

  it('is accepted with an empty 202 when it contains only notifications', async () => {
    verifies('base-protocol/notification-is-not-answered')
    verifies('streamable-http/accepted-messages-have-202')
    const sendAll = await opened('2025-03-26')
    const { status, body } = await sendAll([NOTIFICATION, NOTIFICATION])
    expect([status, body]).toEqual([202, ''])
  })

  it.each([
    ['it is empty', '2025-03-26', 0],
    ['it has 51 messages', '2025-03-26', 51],
    ['it has 10,000 messages', '2025-03-26', 10_000],
    ['the revision is 2025-06-18', '2025-06-18', 1],
    ['the revision is 2025-11-25', '2025-11-25', 1],
  ])('is refused when %s', async (_, version, length) => {
    verifies('streamable-http/body-is-one-message', { row: 'the revision is 2025-06-18' })
    verifies('streamable-http/body-is-one-message', { row: 'the revision is 2025-11-25' })
    const sendAll = await opened(version)
    const { status, body } = await sendAll(Array.from({ length }, (_, index) => request(index)))
    expect([status, body.error.code]).toEqual([400, -32600])
    if (length === 1) {
      expect(body.error.message).toBe(
        'The body must be a single JSON-RPC message [batch-not-allowed]',
      )
    }
  })

  it('is refused when it mixes requests and responses', async () => {
    verifies('streamable-http/body-is-a-message-or-batch')
    const sendAll = await opened('2025-03-26')
    const { status, body } = await sendAll([request(1), { jsonrpc: '2.0', id: 2, result: {} }])
    expect([status, body.error.code]).toEqual([400, -32600])
  })
})

describe('a batch in a session', () => {
  it('does not run a call that the same batch cancels', async () => {
    const session = await open()
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'a' },
    }
    let ran = 0
    const { body } = await send(session, [
      call('a', async () => {
        ran++
        return 'done'
      }),
      cancelled,
      request('b'),
    ])
    expect(ran).toBe(0)
    expect(
      body.map(({ id, error }: { id: string; error?: unknown }) => [id, error === undefined]),
    ).toEqual([
      ['a', false],
      ['b', true],
    ])
  })

  it('is answered with one stream when a call asks, and the stream ends with the last response', async () => {
    verifies('streamable-http/answer-is-json-or-a-stream')
    const session = await open()
    const stream = new SseReader(
      await session.post([call('a', ASKS), request('b'), call('c', ASKS)]),
    )
    const messages = [await stream.message(), await stream.message(), await stream.message()]
    const questions = messages.filter(({ method }) => method === 'roots/list')
    expect(questions).toHaveLength(2)
    expect(messages.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual(['b'])
    const answers = questions.map(({ id }) => ({ jsonrpc: '2.0', id, result: { roots: [] } }))
    expect((await send(session, answers)).status).toBe(202)
    expect((await stream.rest()).map(({ id }) => id).sort()).toEqual(['a', 'c'])
    expect(session.app.events).toEqual([])
  })

  it('reports each unexpected response', async () => {
    const session = await open()
    const stray = { jsonrpc: '2.0', id: 'ask-0', result: {} }
    expect((await send(session, [stray, NOTIFICATION, stray])).status).toBe(202)
    expect(session.app.events).toHaveLength(2)
  })

  it('is refused when it mixes responses and requests, and none of its responses is accepted', async () => {
    verifies('streamable-http/body-is-a-message-or-batch')
    const session = await open()
    const asking = await session.stream(ASKS)
    const question = await asking.message()
    const answer = { jsonrpc: '2.0', id: question.id, result: { roots: [] } }
    const { status, body } = await send(session, [answer, request('r')])
    expect([status, body]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        error: {
          code: -32600,
          message: 'A batch must not mix requests and responses [message-malformed]',
        },
      },
    ])
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect((await asking.message()).result.content[0].text).toBe('0 folders')
    expect(session.app.events).toMatchObject([{ type: 'refusal', name: 'message-malformed' }])
  })

  it('is refused when two requests have the same id', async () => {
    const session = await open()
    const { status, body } = await send(session, [request('same'), request('same')])
    expect([status, body.error.code]).toEqual([400, -32600])
    expect((await session.send('ping', {}, { id: 'same' })).status).toBe(200)
  })

  it('is answered with 404 for an unknown session id', async () => {
    const session = await open()
    const response = await session.post([request(1)], { 'mcp-session-id': 'gone' })
    expect(response.status).toBe(404)
  })
})
