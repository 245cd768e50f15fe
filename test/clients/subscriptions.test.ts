/** `subscriptions/listen` as the official client uses it. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect } from './connect.ts'

let publisher: Client

beforeAll(async () => {
  publisher = await connect('modern')
})
afterAll(() => publisher.close())

async function change(list: 'tools' | 'prompts' | 'resources'): Promise<void> {
  await publisher.callTool({ name: `change_${list}` })
}

async function touch(uri: string): Promise<void> {
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
}

/** Connects a client and records the changes that it receives. */
async function connectListener(): Promise<{ client: Client; received: string[] }> {
  const client = await connect('modern')
  const received: string[] = []
  for (const list of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => {
      received.push(list)
    })
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push(params.uri)
  })
  return { client, received }
}

test('a listener receives every change of its filter in order from another connection', async () => {
  const { client, received } = await connectListener()
  const uri = `probe://item/${crypto.randomUUID()}`
  const { honoredFilter, close } = await client.listen({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [uri],
  })
  expect(honoredFilter).toEqual({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [uri],
  })
  await change('tools')
  await change('prompts')
  await touch(uri)
  await change('resources')
  await expect.poll(() => received).toEqual(['tools', 'prompts', uri, 'resources'])
  await close()
  await client.close()
})

test.each(['tools', 'prompts', 'resources'] as const)(
  'a listener for the list of %s receives no other changes',
  async (list) => {
    verifies('subscriptions/requested-kinds-only')
    const { client, received } = await connectListener()
    const { honoredFilter } = await client.listen({ [`${list}ListChanged`]: true })
    expect(honoredFilter).toEqual({ [`${list}ListChanged`]: true })
    for (let round = 0; round < 2; round++) {
      await touch('probe://static/a')
      for (const other of ['tools', 'prompts', 'resources'] as const) await change(other)
    }
    // This change follows all changes that must not be received.
    await change(list)
    await expect.poll(() => received).toEqual([list, list, list])
    await client.close()
  },
)

test('a listener receives every update of several resources', async () => {
  const { client, received } = await connectListener()
  const uris = Array.from({ length: 5 }, () => `probe://item/${crypto.randomUUID()}`)
  await client.listen({ resourceSubscriptions: uris })
  const touched: string[] = []
  for (let round = 0; round < 4; round++) {
    await change('resources')
    await touch('probe://static/b')
    for (const uri of uris) {
      await touch(uri)
      touched.push(uri)
    }
  }
  await expect.poll(() => received).toEqual(touched)
  await client.close()
})

test('the acknowledged filter omits a resource that does not exist', async () => {
  const { client } = await connectListener()
  const { honoredFilter } = await client.listen({
    resourceSubscriptions: ['probe://nowhere', 'probe://static/a'],
  })
  expect(honoredFilter).toEqual({ resourceSubscriptions: ['probe://static/a'] })
  await client.close()
})

test('each of ten listeners receives a change once', async () => {
  const listeners = await Promise.all(Array.from({ length: 10 }, connectListener))
  const uri = `probe://item/${crypto.randomUUID()}`
  await Promise.all(listeners.map(({ client }) => client.listen({ resourceSubscriptions: [uri] })))
  await touch(uri)
  await touch(uri)
  await expect
    .poll(() => listeners.map(({ received }) => received.length))
    .toEqual(Array(10).fill(2))
  await Promise.all(listeners.map(({ client }) => client.close()))
})

test('a closed listener receives no further changes, and another listener does', async () => {
  const [leaving, staying] = await Promise.all([connectListener(), connectListener()])
  const uri = `probe://item/${crypto.randomUUID()}`
  const filter = { resourceSubscriptions: [uri] }
  const subscription = await leaving.client.listen(filter)
  await staying.client.listen(filter)
  await touch(uri)
  await expect.poll(() => [leaving.received.length, staying.received.length]).toEqual([1, 1])
  await subscription.close()
  expect(await subscription.closed).toBe('local')
  await touch(uri)
  await expect.poll(() => staying.received.length).toBe(2)
  expect(leaving.received).toHaveLength(1)
  // The same client can listen again.
  await leaving.client.listen(filter)
  await touch(uri)
  await expect.poll(() => [leaving.received.length, staying.received.length]).toEqual([2, 3])
  await Promise.all([leaving.client.close(), staying.client.close()])
})

test('a client can listen twice and call tools at the same time', async () => {
  const { client, received } = await connectListener()
  const uri = `probe://item/${crypto.randomUUID()}`
  await client.listen({ resourceSubscriptions: [uri] })
  const second = await client.listen({ promptsListChanged: true })
  await client.callTool({ name: 'touch_resource', arguments: { uri } })
  await client.callTool({ name: 'change_prompts' })
  await expect.poll(() => received.toSorted()).toEqual([uri, 'prompts'])
  await second.close()
  await client.callTool({ name: 'touch_resource', arguments: { uri } })
  await expect.poll(() => received.toSorted()).toEqual([uri, uri, 'prompts'])
  await client.close()
})

test('a client with a listChanged handler receives the new list', async () => {
  const lists: string[][] = []
  const client = await connect('modern', {
    client: {
      listChanged: {
        tools: { onChanged: (_, tools) => lists.push((tools ?? []).map(({ name }) => name)) },
      },
    },
  })
  expect(client.autoOpenedSubscription?.honoredFilter).toEqual({ toolsListChanged: true })
  await change('tools')
  await expect.poll(() => lists.length).toBe(1)
  expect(lists[0]?.[0]).toBe('test_simple_text')
  await client.close()
})

test('a modern listener receives a change that a session-era client caused', async () => {
  const { client, received } = await connectListener()
  const uri = `probe://item/${crypto.randomUUID()}`
  await client.listen({ resourceSubscriptions: [uri] })
  const other = await connect('session')
  await other.callTool({ name: 'touch_resource', arguments: { uri } })
  await expect.poll(() => received).toEqual([uri])
  await Promise.all([client.close(), other.close()])
})
