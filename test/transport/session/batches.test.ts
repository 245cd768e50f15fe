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

describe('a batch in a session', () => {
  it('is answered with one JSON array when all calls are quick', async () => {
    verifies('base-protocol/batches-are-received')
    const session = await open()
    const { status, headers, body } = await send(session, [
      request(1),
      NOTIFICATION,
      call('b', () => 'done'),
      request(3, 'nothing/at/all'),
    ])
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'b', result: { content: [{ type: 'text', text: 'done' }] } },
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32601, message: 'Method not found: nothing/at/all' },
      },
    ])
  })

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

  it('is accepted with an empty 202 when it contains only notifications', async () => {
    verifies('base-protocol/notification-is-not-answered')
    verifies('streamable-http/accepted-messages-have-202')
    const session = await open()
    const { status, body } = await send(session, [NOTIFICATION, NOTIFICATION])
    expect([status, body]).toEqual([202, ''])
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

  it('answers invalid messages beside the valid ones', async () => {
    const session = await open()
    const { status, body } = await send(session, [request(1), 'no message', { jsonrpc: '2.0' }])
    expect(status).toBe(200)
    expect(body.map(({ error }: { error?: { code: number } }) => error?.code)).toEqual([
      -32600,
      -32600,
      undefined,
    ])
  })

  it.each([
    ['it is empty', 0],
    ['it has 51 messages', 51],
    ['it has 10,000 messages', 10_000],
  ])('is refused when %s', async (_, length) => {
    const session = await open()
    const items = Array.from({ length }, (_, index) => request(index))
    const { status, body } = await send(session, items)
    expect([status, body.error.code]).toEqual([400, -32600])
  })

  it.each(['2025-06-18', '2025-11-25'])('is refused under %s', async (version) => {
    verifies('streamable-http/body-is-one-message')
    const session = await openSession({ version })
    const { status, body } = await send(session, [request(1)])
    expect([status, body.error]).toEqual([
      400,
      { code: -32600, message: 'The body must be a single JSON-RPC message [batch-not-allowed]' },
    ])
  })

  it('is answered with 404 for an unknown session id', async () => {
    const session = await open()
    const response = await session.post([request(1)], { 'mcp-session-id': 'gone' })
    expect(response.status).toBe(404)
  })
})
