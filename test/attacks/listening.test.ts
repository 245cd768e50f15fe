/** Filters that no honest client sends, storms of changes, and listeners that come and go. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callTool, inShort, Listener } from './modern.ts'

const INVALID_PARAMS = -32602
const RESOURCE = 'test://static-text'

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

const uris = (count: number, length = 0) =>
  Array.from({ length: count }, (_, at) => `test://template/${at}${'x'.repeat(length)}/data`)

describe('a filter', () => {
  it.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'tools'],
    ['a text for a boolean', { toolsListChanged: 'true' }],
    ['null for a boolean', { promptsListChanged: null }],
    ['a number for a boolean', { resourcesListChanged: 1 }],
    ['a text for a list', { resourceSubscriptions: RESOURCE }],
    ['null for a list', { resourceSubscriptions: null }],
    ['a list of numbers', { resourceSubscriptions: [1] }],
    ['a list of what is no URI', { resourceSubscriptions: ['static text'] }],
    ['10,000 URIs', { resourceSubscriptions: uris(10_000) }],
    ['a URI of 9,000 characters', { resourceSubscriptions: uris(1, 9000) }],
    ['4 MB of URIs', { resourceSubscriptions: uris(1000, 3950) }],
  ])('which is %s is refused', async (_, filter) => {
    const listener = await Listener.open(server.url, filter)
    expect(listener.status).toBe(400)
    expect((await listener.error())?.code).toBe(INVALID_PARAMS)
  })

  const inherited = JSON.parse('{"__proto__":{"toolsListChanged":true},"constructor":true}')
  it.each<[string, object, object]>([
    ['empty', {}, {}],
    ['all refused', { toolsListChanged: false, promptsListChanged: false }, {}],
    ['inherited', inherited, {}],
    [
      'of another revision',
      { tasks: { id: 1 }, toolsListChanged: true },
      { toolsListChanged: true },
    ],
    [
      'for the same twice',
      { resourceSubscriptions: [RESOURCE, RESOURCE] },
      { resourceSubscriptions: [RESOURCE] },
    ],
    [
      'for what there is not',
      { resourceSubscriptions: ['test://nothing', 'https://example.com/'] },
      { resourceSubscriptions: [] },
    ],
  ])('which is %s is acknowledged for what it is worth', async (_, filter, honoured) => {
    const listener = await Listener.open(server.url, filter)
    const [first] = await listener.messages(1)
    listener.close()
    expect(first?.method).toBe('notifications/subscriptions/acknowledged')
    expect(first?.params).toHaveProperty('notifications', honoured)
  })
})

describe('a storm', () => {
  it('of 300 changes by 30 at a time is heard whole, each once, behind listeners that never read', async () => {
    const filter = { resourceSubscriptions: [RESOURCE] }
    const mute = await Promise.all(
      Array.from({ length: 20 }, () => Listener.open(server.url, filter)),
    )
    const listener = await Listener.open(server.url, { ...filter, toolsListChanged: true })
    for (let wave = 0; wave < 10; wave++) {
      const touch = () => callTool(server.url, 'touch_resource', { uri: RESOURCE })
      await Promise.all(Array.from({ length: 30 }, touch))
    }
    // Changes arrive in the order they were published, so nothing of the storm can follow this one.
    await callTool(server.url, 'change_tools')
    const messages = await listener.messages(302)
    for (const each of [listener, ...mute]) each.close()
    const methods = messages.slice(1).map(({ method }) => method)
    expect(methods.slice(0, 300)).toEqual(Array(300).fill('notifications/resources/updated'))
    expect(methods[300]).toBe('notifications/tools/list_changed')
  })

  it('that nobody hears is no failure', async () => {
    const answer = await callTool(server.url, 'touch_resource', { uri: 'test://nothing' })
    expect(inShort(answer)).toBe('done')
  })
})

describe('listeners', () => {
  /** Opens listeners to the first one refused, and returns all of them. */
  async function fill(filter: object): Promise<readonly Listener[]> {
    const listeners: Listener[] = []
    while (listeners.every(({ status }) => status === 200)) {
      const wave = Array.from({ length: 50 }, () => Listener.open(server.url, filter))
      listeners.push(...(await Promise.all(wave)))
    }
    return listeners
  }

  it.each([
    ['something', { toolsListChanged: true }],
    ['nothing', {}],
  ])('of %s who are too many are refused, and those who have left make room', async (_, filter) => {
    const listeners = await fill(filter)
    expect(new Set(listeners.map(({ status }) => status))).toEqual(new Set([200, 429]))
    for (const listener of listeners) listener.close()
    // Leaving shows at the next beat of each stream.
    await vi.waitFor(
      async () => {
        const listener = await Listener.open(server.url, filter)
        listener.close()
        expect(listener.status).toBe(200)
      },
      { timeout: 10_000, interval: 250 },
    )
  })
})
