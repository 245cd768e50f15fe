import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createEdgeway } from '../../../src/index.ts'
import { openSession, openSessionDoor, type SessionClient } from '../../support/session-client.ts'
import { sessionServer } from '../../support/session-server.ts'
import type { SseReader } from '../../support/sse-reader.ts'

const { toolsChanged, promptsChanged, resourcesChanged, resourceUpdated } =
  createEdgeway(sessionServer).notify(env)

// Comments come often, so that a stream on which nothing happens is soon seen to be open.
const door = openSessionDoor({ limits: { keepAliveMs: 100 } })

async function opened(version?: string): Promise<{ session: SessionClient; stream: SseReader }> {
  const session = await openSession({ version: version ?? '2025-11-25' }, door)
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

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('under %s', (version) => {
  it('a session is told of every list that changes, on its GET stream', async () => {
    const { stream } = await opened(version)
    await toolsChanged()
    await promptsChanged()
    await resourcesChanged()
    const messages = [await stream.message(), await stream.message(), await stream.message()]
    expect(messages).toEqual(
      ['tools', 'prompts', 'resources'].map((kind) => ({
        jsonrpc: '2.0',
        method: `notifications/${kind}/list_changed`,
      })),
    )
  })

  it('a session is told of a resource that it has subscribed to, and of no other', async () => {
    const { session, stream } = await opened(version)
    await resourceUpdated('note://a')
    expect(await subscribe(session, 'note://a')).toEqual(DONE)
    await resourceUpdated('item://other')
    await resourceUpdated('note://a')
    await resourceUpdated('note://a')
    await toolsChanged()
    expect([await stream.message(), await stream.message()]).toEqual([
      updated('note://a'),
      updated('note://a'),
    ])
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
  })

  it('a session declares what it is told of', async () => {
    const response = await door.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {} },
    })
    const { result } = await response.json<{ result: { capabilities: object } }>()
    expect(result.capabilities).toEqual({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    })
  })
})

describe('subscribing', () => {
  it('is to what can be read: anything else is not found', async () => {
    const { session } = await opened()
    const { error } = await subscribe(session, 'nothing://here')
    expect(error).toEqual({
      code: -32002,
      message: 'Resource not found',
      data: { uri: 'nothing://here' },
    })
  })

  it.each([
    ['no URI', {}],
    ['a number', { uri: 1 }],
    ['null', { uri: null }],
  ])('needs a URI: %s is none', async (_, params) => {
    const { session } = await opened()
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await session.request(method, params)).error.code).toBe(-32602)
    }
  })

  it('to a URI of a template is told of that URI', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'item://a/b')
    await resourceUpdated('item://a')
    await resourceUpdated('item://a/b')
    expect(await stream.message()).toEqual(updated('item://a/b'))
  })

  it('is told in the spelling that was subscribed to', async () => {
    const { session, stream } = await opened()
    expect(await subscribe(session, 'NOTE://a')).toEqual(DONE)
    await resourceUpdated('note://a')
    expect(await stream.message()).toEqual(updated('NOTE://a'))
    // The later spelling stands: it is one resource, and one subscription.
    await subscribe(session, 'Note://a')
    await resourceUpdated('note://a')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('Note://a'))
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
  })

  it('twice is told once', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'note://a')
    await subscribe(session, 'note://a')
    await resourceUpdated('note://a')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('note://a'))
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
  })

  it('ends with unsubscribing, in any spelling', async () => {
    const { session, stream } = await opened()
    await subscribe(session, 'note://a')
    await subscribe(session, 'item://b')
    expect(await unsubscribe(session, 'NOTE://a')).toEqual(DONE)
    await resourceUpdated('note://a')
    await resourceUpdated('item://b')
    expect(await stream.message()).toEqual(updated('item://b'))
  })

  it('is undone where it never was', async () => {
    const { session } = await opened()
    expect(await unsubscribe(session, 'item://never')).toEqual(DONE)
    expect(await unsubscribe(session, 'nothing://here')).toEqual(DONE)
  })

  it('is before its stream is opened: what happens in between is told then', async () => {
    const session = await openSession({}, door)
    await subscribe(session, 'note://a')
    await resourceUpdated('item://other')
    await resourceUpdated('note://a')
    const stream = await session.listen()
    expect(await stream.message()).toEqual(updated('note://a'))
  })

  it('is told of what happens once it is answered, however many subscribe at once', async () => {
    const { session, stream } = await opened()
    for (const half of ['a', 'b']) {
      const uris = Array.from({ length: 50 }, (_, index) => `item://${half}${index}`)
      await Promise.all(uris.map((uri) => subscribe(session, uri)))
    }
    await resourceUpdated('item://b49')
    await toolsChanged()
    expect(await stream.message()).toEqual(updated('item://b49'))
  })

  it('is of one session: another hears nothing of it', async () => {
    const [one, two] = [await opened(), await opened()]
    await subscribe(one.session, 'note://a')
    await subscribe(two.session, 'item://b')
    await resourceUpdated('note://a')
    await resourceUpdated('item://b')
    expect(await one.stream.message()).toEqual(updated('note://a'))
    expect(await two.stream.message()).toEqual(updated('item://b'))
  })
})

describe('a session', () => {
  it('has a thousand subscriptions, and room again when one is taken back', async () => {
    const session = await openSession({}, door)
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
  }, 20_000)

  it('has so many letters of URIs, however few they are', async () => {
    const { session } = await opened()
    const long = (index: number) => `item://${index}${'x'.repeat(1500)}`
    let refused: number | undefined
    for (let index = 10; index < 99 && refused === undefined; index++) {
      if ((await subscribe(session, long(index))).error !== undefined) refused = index - 10
    }
    expect(refused).toBe(43)
  })
})
