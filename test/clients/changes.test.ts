/** Changes of lists and of subscribed resources: on the standalone stream of a session, or on that of subscriptions/listen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool } from '../attacks/modern.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { LISTS, type List } from './client-interface.ts'
import { connectClient, KINDS, type Kind } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { openClient } from './v2-client.ts'
import { recordWire, streamsOf } from './wire.ts'

/** Not the shared fixture server, because a list change reaches every client of a server. */
let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server.stop())

/** Publishes by a modern request without a client, because changes are the same in every era. */
const change = (list: List) => callTool(server.url, `change_${list}`, {})
const touch = (uri: string) => callTool(server.url, 'touch_resource', { uri })

const createUri = () => `probe://item/${crypto.randomUUID()}`

/** Connects a client, and records resource updates and the given list changes. */
async function connectListener(kind: Kind, lists: readonly List[] = []) {
  const client = await connectClient(kind, { url: server.url })
  const received: string[] = []
  for (const list of lists) {
    client.on(`notifications/${list}/list_changed`, () => received.push(list))
  }
  client.on('notifications/resources/updated', ({ uri }) => received.push(uri))
  if (kind !== 'v2, modern') await client.listening()
  return { ...client, received }
}

describe.each(KINDS)('the official client %s', (kind) => {
  test('receives its own changes and those of another connection in order', async () => {
    const { subscribe, call, received } = await connectListener(kind, LISTS)
    const uri = createUri()
    await subscribe([uri], LISTS)
    await change('tools')
    await call('change_prompts')
    await touch(uri)
    await change('resources')
    await call('touch_resource', { uri })
    await eventually(() => received).toEqual(['tools', 'prompts', uri, 'resources', uri])
  })

  test('receives updates of subscribed resources only', async () => {
    const { subscribe, received } = await connectListener(kind)
    const uris = [createUri(), createUri(), createUri()]
    await subscribe(uris)
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

  test('receives no update of a resource after it unsubscribed, until it subscribes again', async () => {
    const { subscribe, received } = await connectListener(kind)
    const [kept, dropped] = [createUri(), createUri()]
    await subscribe([kept])
    const unsubscribe = await subscribe([dropped])
    await touch(dropped)
    await eventually(() => received).toEqual([dropped])
    await unsubscribe()
    await touch(dropped)
    // This change follows the one that must not be received.
    await touch(kept)
    await eventually(() => received).toEqual([dropped, kept])
    await subscribe([dropped])
    await touch(dropped)
    await eventually(() => received).toEqual([dropped, kept, dropped])
  })
})

test('three clients of each kind that listen to a resource receive a change once', async () => {
  const listeners = await Promise.all(
    [...KINDS, ...KINDS, ...KINDS].map((kind) => connectListener(kind)),
  )
  const uri = createUri()
  await Promise.all(listeners.map(({ subscribe }) => subscribe([uri])))
  await touch(uri)
  await touch(uri)
  const twice = listeners.map(() => [uri, uri])
  await eventually(() => listeners.map(({ received }) => received)).toEqual(twice)
})

test('the stream of subscriptions/listen is opened with the filter that the client names', async () => {
  const client = await openClient('v2, modern', { url: server.url })
  const filter = { promptsListChanged: true, resourceSubscriptions: ['probe://static/a'] }
  const subscription = await client.listen({
    ...filter,
    resourceSubscriptions: ['probe://nowhere', 'probe://static/a'],
  })
  expect(subscription.honoredFilter).toEqual(filter)
  await subscription.close()
  expect(await subscription.closed).toBe('local')
})

test.each(['v2', 'v2, modern'] as const)(
  'the official client %s with a listChanged handler receives the new list',
  async (kind) => {
    const lists: string[][] = []
    const wire = recordWire()
    const client = await openClient(kind, {
      url: server.url,
      fetch: wire.fetch,
      listChanged: {
        tools: { onChanged: (_, tools) => lists.push((tools ?? []).map(({ name }) => name)) },
      },
    })
    if (kind === 'v2') await eventually(() => streamsOf(wire).length).toBe(1)
    else expect(client.autoOpenedSubscription?.honoredFilter).toEqual({ toolsListChanged: true })
    await change('tools')
    await eventually(() => lists.length).toBe(1)
    expect(lists[0]?.[0]).toBe('test_simple_text')
  },
)
