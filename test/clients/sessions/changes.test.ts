/** Changes on the standalone stream of a session: subscribed resources, and every list change. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { verifies } from '../../support/verifies.ts'
import { connect } from '../connect.ts'
import { connectSession, KINDS, type Kind, STREAMABLE_KINDS } from './connect-session.ts'
import { eventually } from './eventually.ts'
import { recordWire, streamsOf } from './wire.ts'

const LISTS = ['tools', 'prompts', 'resources'] as const

/** Not the shared fixture server, because a list change reaches every client of a server. */
let server: FixtureServer
/** A client of the modern revision, because changes are the same in every era. */
let publisher: Client

beforeAll(async () => {
  server = await startFixtureServer()
  publisher = await connect('modern', { url: server.url })
})
afterAll(async () => {
  await publisher.close()
  await server.stop()
})

async function change(list: (typeof LISTS)[number]): Promise<void> {
  await publisher.callTool({ name: `change_${list}` })
}

async function touch(uri: string): Promise<void> {
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
}

function createUri(): string {
  return `probe://item/${crypto.randomUUID()}`
}

/** Connects a client with an open stream and records resource updates and the given list changes. */
async function connectListener(kind: Kind, lists: readonly (typeof LISTS)[number][] = []) {
  const session = await connectSession(kind, { url: server.url })
  const received: string[] = []
  for (const list of lists) {
    session.on(`notifications/${list}/list_changed`, () => received.push(list))
  }
  session.on('notifications/resources/updated', ({ uri }) => received.push(uri))
  await session.listening()
  return { ...session, received }
}

describe.each(KINDS)('the official client %s', (kind) => {
  test('receives changes of another connection in order', async () => {
    const { client, received } = await connectListener(kind, LISTS)
    const uri = createUri()
    expect(await client.subscribeResource({ uri })).toEqual({})
    await change('tools')
    await change('prompts')
    await touch(uri)
    await change('resources')
    await eventually(() => received).toEqual(['tools', 'prompts', uri, 'resources'])
  })

  test('receives changes that it caused itself', async () => {
    const { client, call, received } = await connectListener(kind, LISTS)
    const uri = createUri()
    await client.subscribeResource({ uri })
    await call('touch_resource', { uri })
    await call('change_tools')
    await eventually(() => received).toEqual([uri, 'tools'])
  })

  test('receives updates of subscribed resources only', async () => {
    const { client, received } = await connectListener(kind)
    const uris = [createUri(), createUri(), createUri()]
    for (const uri of uris) await client.subscribeResource({ uri })
    const touched: string[] = []
    for (let round = 0; round < 4; round++) {
      await touch(createUri())
      for (const uri of uris) {
        await touch(uri)
        touched.push(uri)
      }
    }
    await eventually(() => received).toEqual(touched)
  })

  test('receives no update of a resource after it unsubscribed', async () => {
    const { client, received } = await connectListener(kind)
    const [kept, dropped] = [createUri(), createUri()]
    await client.subscribeResource({ uri: kept })
    await client.subscribeResource({ uri: dropped })
    await touch(dropped)
    await eventually(() => received).toEqual([dropped])
    expect(await client.unsubscribeResource({ uri: dropped })).toEqual({})
    await touch(dropped)
    // This change follows the one that must not be received.
    await touch(kept)
    await eventually(() => received).toEqual([dropped, kept])
    await client.subscribeResource({ uri: dropped })
    await touch(dropped)
    await eventually(() => received).toEqual([dropped, kept, dropped])
  })

  test('receives each update once when it subscribed twice', async () => {
    const { client, received } = await connectListener(kind)
    const uri = createUri()
    await client.subscribeResource({ uri })
    await client.subscribeResource({ uri })
    await touch(uri)
    await touch(uri)
    await eventually(() => received).toEqual([uri, uri])
  })

  test('cannot subscribe to a resource that does not exist', async () => {
    const { client } = await connectListener(kind)
    await expect(client.subscribeResource({ uri: 'probe://nowhere' })).rejects.toThrow(
      'Resource not found',
    )
  })

  test('receives a change while one of its calls runs', async () => {
    const { client, call, received } = await connectListener(kind)
    const uri = createUri()
    await client.subscribeResource({ uri })
    const slow = call('slow', { ms: 400 })
    await touch(uri)
    await eventually(() => received).toEqual([uri])
    expect((await slow).content[0].text).toBe('done')
  })
})

test('every listening client of both transports receives a change once', async () => {
  const listeners = await Promise.all(
    [...KINDS, ...KINDS, ...KINDS].map((kind) => connectListener(kind)),
  )
  const uri = createUri()
  await Promise.all(listeners.map(({ client }) => client.subscribeResource({ uri })))
  await touch(uri)
  await touch(uri)
  const twice = listeners.map(() => [uri, uri])
  await eventually(() => listeners.map(({ received }) => received)).toEqual(twice)
})

describe.each(STREAMABLE_KINDS)('the official client %s', (kind) => {
  test('receives a change once when its session has two connections', async () => {
    verifies('streamable-http/message-is-on-one-stream')
    const first = await connectListener(kind, ['tools'])
    const second = await connectSession(kind, {
      url: server.url,
      sessionId: first.sessionId() ?? '',
    })
    const uri = createUri()
    await second.client.subscribeResource({ uri })
    await touch(uri)
    await change('tools')
    await eventually(() => first.received).toEqual([uri, 'tools'])
    expect(streamsOf(second.wire)).toEqual([])
  })

  test('receives changes since its subscription on a stream that it opens later', async () => {
    const mayListen = Promise.withResolvers<void>()
    const { client, on, listening } = await connectSession(kind, {
      url: server.url,
      fetch: async (input, init) => {
        if (init?.method === 'GET') await mayListen.promise
        return fetch(input, init)
      },
    })
    const received: string[] = []
    on('notifications/resources/updated', ({ uri }) => received.push(uri))
    const uri = createUri()
    await client.subscribeResource({ uri })
    await touch(uri)
    await touch(uri)
    mayListen.resolve()
    await listening()
    await eventually(() => received).toEqual([uri, uri])
  })

  test('receives list changes only when it subscribed to no resource', async () => {
    const { received } = await connectListener(kind, LISTS)
    await touch('probe://static/a')
    await change('tools')
    await eventually(() => received).toEqual(['tools'])
  })
})

test('a client with a listChanged handler receives the new list', async () => {
  const lists: string[][] = []
  const wire = recordWire()
  const client = await connect('session', {
    url: server.url,
    fetch: wire.fetch,
    client: {
      listChanged: {
        tools: { onChanged: (_, tools) => lists.push((tools ?? []).map(({ name }) => name)) },
      },
    },
  })
  await eventually(() => streamsOf(wire).length).toBe(1)
  await change('tools')
  await eventually(() => lists.length).toBe(1)
  expect(lists[0]?.[0]).toBe('test_simple_text')
  await client.close()
})
