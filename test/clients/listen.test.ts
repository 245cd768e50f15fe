/** Changes, as the official client hears of them: from any connection, and only what it asked for. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** A client of its own, and what it has heard so far. */
async function connectListener(): Promise<{ client: Client; heard: string[] }> {
  const client = await connect('modern')
  const heard: string[] = []
  for (const list of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => {
      heard.push(list)
    })
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri)
  })
  return { client, heard }
}

test('a listener hears everything that it asked for, in order, from another connection', async () => {
  const { client, heard } = await connectListener()
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
  await expect.poll(() => heard).toEqual(['tools', 'prompts', uri, 'resources'])
  await close()
  await client.close()
})

test.each(['tools', 'prompts', 'resources'] as const)(
  'a listener for the %s hears of nothing else',
  async (list) => {
    const { client, heard } = await connectListener()
    const { honoredFilter } = await client.listen({ [`${list}ListChanged`]: true })
    expect(honoredFilter).toEqual({ [`${list}ListChanged`]: true })
    for (let round = 0; round < 2; round++) {
      await touch('probe://static/a')
      for (const other of ['tools', 'prompts', 'resources'] as const) await change(other)
    }
    // The last round's own change came after everything that must not be heard.
    await change(list)
    await expect.poll(() => heard).toEqual([list, list, list])
    await client.close()
  },
)

test('a listener hears of the resources it named, however often they change', async () => {
  const { client, heard } = await connectListener()
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
  await expect.poll(() => heard).toEqual(touched)
  await client.close()
})

test('a resource that does not exist is not listened to', async () => {
  const { client } = await connectListener()
  const { honoredFilter } = await client.listen({
    resourceSubscriptions: ['probe://nowhere', 'probe://static/a'],
  })
  expect(honoredFilter).toEqual({ resourceSubscriptions: ['probe://static/a'] })
  await client.close()
})

test('every listener hears of a change once', async () => {
  const listeners = await Promise.all(Array.from({ length: 10 }, connectListener))
  const uri = `probe://item/${crypto.randomUUID()}`
  await Promise.all(listeners.map(({ client }) => client.listen({ resourceSubscriptions: [uri] })))
  await touch(uri)
  await touch(uri)
  await expect.poll(() => listeners.map(({ heard }) => heard.length)).toEqual(Array(10).fill(2))
  await Promise.all(listeners.map(({ client }) => client.close()))
})

test('a listener that has closed hears no more, and the others do', async () => {
  const [leaving, staying] = await Promise.all([connectListener(), connectListener()])
  const uri = `probe://item/${crypto.randomUUID()}`
  const filter = { resourceSubscriptions: [uri] }
  const subscription = await leaving.client.listen(filter)
  await staying.client.listen(filter)
  await touch(uri)
  await expect.poll(() => [leaving.heard.length, staying.heard.length]).toEqual([1, 1])
  await subscription.close()
  expect(await subscription.closed).toBe('local')
  await touch(uri)
  await expect.poll(() => staying.heard.length).toBe(2)
  expect(leaving.heard).toHaveLength(1)
  // The same client may listen again.
  await leaving.client.listen(filter)
  await touch(uri)
  await expect.poll(() => [leaving.heard.length, staying.heard.length]).toEqual([2, 3])
  await Promise.all([leaving.client.close(), staying.client.close()])
})

test('a client listens twice and calls tools beside it', async () => {
  const { client, heard } = await connectListener()
  const uri = `probe://item/${crypto.randomUUID()}`
  await client.listen({ resourceSubscriptions: [uri] })
  const second = await client.listen({ promptsListChanged: true })
  await client.callTool({ name: 'touch_resource', arguments: { uri } })
  await client.callTool({ name: 'change_prompts' })
  await expect.poll(() => heard.toSorted()).toEqual([uri, 'prompts'])
  await second.close()
  await client.callTool({ name: 'touch_resource', arguments: { uri } })
  await expect.poll(() => heard.toSorted()).toEqual([uri, uri, 'prompts'])
  await client.close()
})

test('a client that wants to know of new lists is given them', async () => {
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
  await expect.poll(() => lists.length, { timeout: 5000 }).toBe(1)
  expect(lists[0]?.[0]).toBe('test_simple_text')
  await client.close()
})

test('a session-era client tells listeners of the modern one', async () => {
  const { client, heard } = await connectListener()
  const uri = `probe://item/${crypto.randomUUID()}`
  await client.listen({ resourceSubscriptions: [uri] })
  const other = await connect('session')
  await other.callTool({ name: 'touch_resource', arguments: { uri } })
  await expect.poll(() => heard).toEqual([uri])
  await Promise.all([client.close(), other.close()])
})
