/** Calls that a client cancels with an `AbortSignal`, while they run and while they wait for an ask. */
import { describe, expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { connectClient, KINDS, SESSION_KINDS, type TestClient } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { readCount } from './read-count.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

/** The request ids of cancellation notifications, with the status of each response. */
function cancellationsOf({ wire }: TestClient): unknown[] {
  return wire.exchanges
    .filter(({ body }) => body.includes('"notifications/cancelled"'))
    .map(({ body, status }) => ({ id: JSON.parse(body).params.requestId, status }))
}

function idOf({ wire }: TestClient, tool: string): unknown {
  const call = wire.exchanges.find(({ body }) => body.includes(`"name":"${tool}"`))
  return JSON.parse(call?.body ?? '{}').id
}

describe.each(KINDS)('the official client %s', (kind) => {
  const connect = () => connectClient(kind, { capabilities: CAPABILITIES })

  test('cancels a call, which ends on the server without an answer', async () => {
    const session = await connect()
    const before = await readCount(session, 'slow-cancelled')
    const controller = new AbortController()
    const call = session.call('slow', { ms: 60_000 }, { signal: controller.signal })
    // The server has the call when its response has begun.
    await eventually(() => idOf(session, 'slow')).toBeDefined()
    controller.abort(new Error('aborted by the test'))
    await expect(call).rejects.toThrow('aborted by the test')
    await eventually(() => readCount(session, 'slow-cancelled')).toBe(before + 1)
    const id = idOf(session, 'slow')
    // A modern client cancels by closing the stream.
    const notified = kind === 'v2, modern' ? [] : [{ id, status: 202 }]
    await eventually(() => cancellationsOf(session)).toEqual(notified)
    expect(messagesOf(session.wire).filter((message) => message.id === id)).toEqual([])
    expect(session.errors).toEqual([])
  })
})

describe.each(SESSION_KINDS)('the official client %s', (kind) => {
  const connect = () => connectClient(kind, { capabilities: CAPABILITIES })

  test('cancels a call with an open ask, whose later answer has no effect', async () => {
    const session = await connect()
    const { call, answer, client, errors } = session
    const name = `cancelled-${crypto.randomUUID()}`
    const pending = Promise.withResolvers<object>()
    const asked = answer('elicitation/create', () => pending.promise)
    const controller = new AbortController()
    const waiting = call('ask_count', { name }, { signal: controller.signal })
    await eventually(() => asked.length).toBe(1)
    controller.abort(new Error('aborted by the test'))
    await expect(waiting).rejects.toThrow('aborted by the test')
    await eventually(() =>
      messagesOf(session.wire).filter(({ method }) => method === 'notifications/cancelled'),
    ).toMatchObject([{ params: { reason: 'The request was cancelled' } }])
    pending.resolve(accept({ ok: true }))
    expect(await client.ping()).toEqual({})
    expect(await readCount(session, `${name}-first`)).toBe(1)
    expect(await readCount(session, `${name}-second`)).toBe(0)
    expect(errors).toEqual([])
  })

  test('closes during a call, and the call completes on the server', async () => {
    const watcher = await connect()
    const name = `closed-${crypto.randomUUID()}`
    const { client, call } = await connect()
    const closed = call('ten_steps', { name, gapMs: 30 })
    await eventually(() => readCount(watcher, `${name}-2`)).toBe(1)
    await client.close()
    await expect(closed).rejects.toThrow('Connection closed')
    await eventually(() => readCount(watcher, `${name}-10`)).toBe(1)
  })
})
