/** Calls that a client gives up by an `AbortSignal`: running, waiting for a person, and too late. */
import { describe, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { connectSession, KINDS, type SessionClient } from './session-client.ts'
import { messagesOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

const accept = (content: object) => ({ action: 'accept', content })

async function countOf({ call }: SessionClient, name: string): Promise<number> {
  return (await call('read_count', { name })).structuredContent.value
}

/** The ids that the client has cancelled, and how it was taken. */
function cancellationsOf({ wire }: SessionClient): unknown[] {
  return wire.exchanges
    .filter(({ body }) => body.includes('"notifications/cancelled"'))
    .map(({ body, status }) => ({ id: JSON.parse(body).params.requestId, status }))
}

function idOf({ wire }: SessionClient, tool: string): unknown {
  const call = wire.exchanges.find(({ body }) => body.includes(`"name":"${tool}"`))
  return JSON.parse(call?.body ?? '{}').id
}

describe.each(KINDS)('%s', (kind) => {
  const connect = () => connectSession(kind, { capabilities: CAPABILITIES })

  test('gives up a call, which ends on the server without an answer', async () => {
    const session = await connect()
    const before = await countOf(session, 'slow-cancelled')
    const giveUp = new AbortController()
    const call = session.call('slow', { ms: 60_000 }, { signal: giveUp.signal })
    // Once its POST has been taken, so that the server knows of the call.
    await eventually(() => idOf(session, 'slow')).toBeDefined()
    giveUp.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await eventually(() => countOf(session, 'slow-cancelled')).toBe(before + 1)
    const id = idOf(session, 'slow')
    await eventually(() => cancellationsOf(session)).toEqual([{ id, status: 202 }])
    expect(messagesOf(session.wire).filter((message) => message.id === id)).toEqual([])
    expect(session.errors).toEqual([])
  })

  test('gives up one of two calls, and the other goes on', async () => {
    const session = await connect()
    const giveUp = new AbortController()
    const abandoned = session.call('never', {}, { signal: giveUp.signal })
    const kept = session.call('slow', { ms: 400 })
    await eventually(() => idOf(session, 'never')).toBeDefined()
    giveUp.abort(new Error('enough'))
    await expect(abandoned).rejects.toThrow('enough')
    expect((await kept).content[0].text).toBe('done')
  })

  test('gives up a call that waits for a person: what they say then is too late', async () => {
    const session = await connect()
    const { call, answer, client, errors } = session
    const name = `cancelled-${crypto.randomUUID()}`
    const thinking = Promise.withResolvers<object>()
    const asked = answer('elicitation/create', () => thinking.promise)
    const giveUp = new AbortController()
    const waiting = call('ask_count', { name }, { signal: giveUp.signal })
    await eventually(() => asked.length).toBe(1)
    giveUp.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await eventually(() =>
      messagesOf(session.wire).filter(({ method }) => method === 'notifications/cancelled'),
    ).toMatchObject([{ params: { reason: 'The request was cancelled' } }])
    thinking.resolve(accept({ ok: true }))
    expect(await client.ping()).toEqual({})
    expect(await countOf(session, `${name}-first`)).toBe(1)
    expect(await countOf(session, `${name}-second`)).toBe(0)
    expect(errors).toEqual([])
  })

  test('can call again what it has given up', async () => {
    const { call, answer } = await connect()
    const name = `again-${crypto.randomUUID()}`
    const giveUp = new AbortController()
    const asked = answer('elicitation/create', () => {
      if (asked.length > 1) return accept({ ok: true })
      giveUp.abort(new Error('enough'))
      return { action: 'cancel' }
    })
    await expect(call('ask_count', { name }, { signal: giveUp.signal })).rejects.toThrow('enough')
    const { structuredContent } = await call('ask_count', { name })
    expect(structuredContent).toEqual({ action: 'accept', ok: true })
  })

  test('closes in the middle of a call, and the call is finished all the same', async () => {
    const watcher = await connect()
    const name = `left-${crypto.randomUUID()}`
    const { client, call } = await connect()
    const left = call('ten_steps', { name, gapMs: 30 })
    await eventually(() => countOf(watcher, `${name}-2`)).toBe(1)
    await client.close()
    await expect(left).rejects.toThrow('Connection closed')
    await eventually(() => countOf(watcher, `${name}-10`)).toBe(1)
  })
})
