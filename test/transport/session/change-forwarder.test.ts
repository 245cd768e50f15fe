// features: changes
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createFullEdgeway } from '../../support/full-app.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import { sessionServer } from '../../support/session-server.ts'
import type { SseReader } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

const { toolsChanged, resourceUpdated } = createFullEdgeway(sessionServer, {}).notify(env)

// Frequent comments show soon that an idle stream is open.
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

async function opened(version?: string): Promise<{ session: SessionClient; stream: SseReader }> {
  const session = await openSession({ version: version ?? '2025-11-25' }, app)
  const stream = await session.listen()
  expect(await stream.next()).toEqual({ comment: 'open' })
  return { session, stream }
}

const subscribe = (session: SessionClient, uri: string) =>
  session.request('resources/subscribe', { uri })
const unsubscribe = (session: SessionClient, uri: string) =>
  session.request('resources/unsubscribe', { uri })

const DONE = { jsonrpc: '2.0', id: expect.any(Number), result: {} }

const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

describe('resources/subscribe', () => {
  it.each([
    ['no URI', {}],
    ['a number', { uri: 1 }],
    ['null', { uri: null }],
  ])('and resources/unsubscribe are refused for %s as URI', async (_, params) => {
    verifies('resources/uris-are-validated')
    const { session } = await opened()
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await session.request(method, params)).error.code).toBe(-32602)
    }
  })

  it('accepts a URI of a template', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'item://a/b')
    await resourceUpdated('item://a')
    await resourceUpdated('item://a/b')
    expect(await stream.message()).toEqual(updated('item://a/b'))
  })

  it('determines the spelling of the URI in notifications', async () => {
    const { session, stream } = await opened()
    expect(await subscribe(session, 'NOTE://a')).toEqual(DONE)
    await resourceUpdated('note://a')
    expect(await stream.message()).toEqual(updated('NOTE://a'))
    // The last spelling counts, because it is one subscription to one resource.
    await subscribe(session, 'Note://a')
    await resourceUpdated('note://a')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('Note://a'))
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
  })

  it('sent twice for one resource causes one notification per update', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'note://a')
    await subscribe(session, 'note://a')
    await resourceUpdated('note://a')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('note://a'))
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
  })

  it('is undone by resources/unsubscribe with any spelling of the URI', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'note://a')
    await subscribe(session, 'item://b')
    expect(await unsubscribe(session, 'NOTE://a')).toEqual(DONE)
    await resourceUpdated('note://a')
    await resourceUpdated('item://b')
    expect(await stream.message()).toEqual(updated('item://b'))
  })

  it('need not precede resources/unsubscribe', async () => {
    const { session } = await opened()
    expect(await unsubscribe(session, 'item://never')).toEqual(DONE)
    expect(await unsubscribe(session, 'nothing://here')).toEqual(DONE)
  })

  it('causes the delivery of updates published before the stream opened', async () => {
    const session = await openSession({}, app)
    await subscribe(session, 'note://a')
    await resourceUpdated('item://other')
    await resourceUpdated('note://a')
    const stream = await session.listen()
    expect(await stream.message()).toEqual(updated('note://a'))
  })

  it('is effective when it is answered, for many concurrent requests', async () => {
    const { session, stream } = await opened()
    for (const half of ['a', 'b']) {
      const uris = Array.from({ length: 50 }, (_, index) => `item://${half}${index}`)
      await Promise.all(uris.map((uri) => subscribe(session, uri)))
    }
    await resourceUpdated('item://b49')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('item://b49'))
  })

  it('is effective when it is answered, for a client that has stopped reading its stream', async () => {
    const { session, stream } = await opened()
    const long = `item://a${'x'.repeat(8000)}`
    await subscribe(session, long)
    // Far more than is read ahead: the Worker waits for the client.
    for (let count = 0; count < 20; count++) await resourceUpdated(long)
    const began = Date.now()
    expect(await subscribe(session, 'item://x')).toEqual(DONE)
    // It does not wait for the Worker until the timeout of 3 s.
    expect(Date.now() - began).toBeLessThan(2900)
    for (let count = 0; count < 3; count++) await resourceUpdated('item://x')
    await resourceUpdated(long)
    const uris: string[] = []
    for (let count = 0; count < 24; count++) uris.push((await stream.message()).params.uri)
    expect(uris).toEqual([
      ...Array.from({ length: 20 }, () => long),
      ...Array.from({ length: 3 }, () => 'item://x'),
      long,
    ])
  })
})

describe('the limit of subscriptions', () => {
  it('is 1000 by default, and allows another subscription after an unsubscribe', async () => {
    const session = await openSession({}, app)
    for (let first = 1; first <= 1000; first += 50) {
      const uris = Array.from({ length: 50 }, (_, index) => `item://${first + index}`)
      const answers = await Promise.all(uris.map((uri) => subscribe(session, uri)))
      expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
    }
    const FULL = { code: -32602, message: 'The session has reached its limit of subscriptions' }
    expect((await subscribe(session, 'item://1001')).error).toEqual(FULL)
    expect(await subscribe(session, 'item://500')).toEqual(DONE)
    expect(await unsubscribe(session, 'item://1')).toEqual(DONE)
    expect(await subscribe(session, 'item://1001')).toEqual(DONE)
    expect((await subscribe(session, 'item://1002')).error).toEqual(FULL)
  })

  it('also counts the length of the URIs', async () => {
    const { session } = await opened()
    const long = (index: number) => `item://${index}${'x'.repeat(1500)}`
    let refused: number | undefined
    for (let index = 10; index < 99 && refused === undefined; index++) {
      if ((await subscribe(session, long(index))).error !== undefined) refused = index - 10
    }
    expect(refused).toBe(43)
  })
})
