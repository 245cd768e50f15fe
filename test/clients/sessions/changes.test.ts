/** Changes, as a session's stream tells of them: what its client has subscribed to, and every list. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { connect } from '../connect.ts'
import { eventually } from './eventually.ts'
import { connectSession, KINDS, type Kind, STREAMABLE_KINDS } from './session-client.ts'
import { streamsOf, watchWire } from './wire.ts'

const LISTS = ['tools', 'prompts', 'resources'] as const

/** Of its own: a change of a list is told to everybody. */
let server: FixtureServer
/** Of the modern revision: news knows no eras. */
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

/** A client whose stream is open, and what it has heard of resources so far; of lists, if it wants to. */
async function connectListener(kind: Kind, lists: readonly (typeof LISTS)[number][] = []) {
  const session = await connectSession(kind, { url: server.url })
  const heard: string[] = []
  for (const list of lists) {
    session.on(`notifications/${list}/list_changed`, () => heard.push(list))
  }
  session.on('notifications/resources/updated', ({ uri }) => heard.push(uri))
  await session.listening()
  return { ...session, heard }
}

describe.each(KINDS)('%s', (kind) => {
  test('hears of everything, in order, from another connection', async () => {
    const { client, heard } = await connectListener(kind, LISTS)
    const uri = createUri()
    expect(await client.subscribeResource({ uri })).toEqual({})
    await change('tools')
    await change('prompts')
    await touch(uri)
    await change('resources')
    await eventually(() => heard).toEqual(['tools', 'prompts', uri, 'resources'])
  })

  test('hears of what it has done itself', async () => {
    const { client, call, heard } = await connectListener(kind, LISTS)
    const uri = createUri()
    await client.subscribeResource({ uri })
    await call('touch_resource', { uri })
    await call('change_tools')
    await eventually(() => heard).toEqual([uri, 'tools'])
  })

  test('hears of the resources it has subscribed to and of no others', async () => {
    const { client, heard } = await connectListener(kind)
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
    await eventually(() => heard).toEqual(touched)
  })

  test('hears no more of what it has unsubscribed from', async () => {
    const { client, heard } = await connectListener(kind)
    const [kept, dropped] = [createUri(), createUri()]
    await client.subscribeResource({ uri: kept })
    await client.subscribeResource({ uri: dropped })
    await touch(dropped)
    await eventually(() => heard).toEqual([dropped])
    expect(await client.unsubscribeResource({ uri: dropped })).toEqual({})
    await touch(dropped)
    // The last change came after the one that must not be heard.
    await touch(kept)
    await eventually(() => heard).toEqual([dropped, kept])
    await client.subscribeResource({ uri: dropped })
    await touch(dropped)
    await eventually(() => heard).toEqual([dropped, kept, dropped])
  })

  test('subscribing twice is hearing once', async () => {
    const { client, heard } = await connectListener(kind)
    const uri = createUri()
    await client.subscribeResource({ uri })
    await client.subscribeResource({ uri })
    await touch(uri)
    await touch(uri)
    await eventually(() => heard).toEqual([uri, uri])
  })

  test('is refused a subscription to what does not exist', async () => {
    const { client } = await connectListener(kind)
    await expect(client.subscribeResource({ uri: 'probe://nowhere' })).rejects.toThrow(
      'Resource not found',
    )
  })

  test('reads what has changed while a call of its own is under way', async () => {
    const { client, call, heard } = await connectListener(kind)
    const uri = createUri()
    await client.subscribeResource({ uri })
    const slow = call('slow', { ms: 400 })
    await touch(uri)
    await eventually(() => heard).toEqual([uri])
    expect((await slow).content[0].text).toBe('done')
  })
})

test('everyone who listens hears of a change once, over whatever transport', async () => {
  const listeners = await Promise.all(
    [...KINDS, ...KINDS, ...KINDS].map((kind) => connectListener(kind)),
  )
  const uri = createUri()
  await Promise.all(listeners.map(({ client }) => client.subscribeResource({ uri })))
  await touch(uri)
  await touch(uri)
  const twice = listeners.map(() => [uri, uri])
  await eventually(() => listeners.map(({ heard }) => heard)).toEqual(twice)
})

describe.each(STREAMABLE_KINDS)('%s', (kind) => {
  test('hears once what two connections of its session could carry', async () => {
    const first = await connectListener(kind, ['tools'])
    const second = await connectSession(kind, {
      url: server.url,
      sessionId: first.sessionId() ?? '',
    })
    const uri = createUri()
    await second.client.subscribeResource({ uri })
    await touch(uri)
    await change('tools')
    await eventually(() => first.heard).toEqual([uri, 'tools'])
    expect(streamsOf(second.wire)).toEqual([])
  })

  test('hears on a stream that it opens late of what has changed since it subscribed', async () => {
    const mayListen = Promise.withResolvers<void>()
    const { client, on, listening } = await connectSession(kind, {
      url: server.url,
      fetch: async (input, init) => {
        if (init?.method === 'GET') await mayListen.promise
        return fetch(input, init)
      },
    })
    const heard: string[] = []
    on('notifications/resources/updated', ({ uri }) => heard.push(uri))
    const uri = createUri()
    await client.subscribeResource({ uri })
    await touch(uri)
    await touch(uri)
    mayListen.resolve()
    await listening()
    await eventually(() => heard).toEqual([uri, uri])
  })

  test('is told of lists alone on a stream that nobody has subscribed on', async () => {
    const { heard } = await connectListener(kind, LISTS)
    await touch('probe://static/a')
    await change('tools')
    await eventually(() => heard).toEqual(['tools'])
  })
})

test('a client that wants to know of new lists is given them', async () => {
  const lists: string[][] = []
  const wire = watchWire()
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
