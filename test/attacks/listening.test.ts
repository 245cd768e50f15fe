/** Subscription filters that no conforming client sends, many changes at once, and many listeners. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callTool, Listener } from './modern.ts'
import { outcomeOf } from './outcome.ts'

const INVALID_PARAMS = -32602
const RESOURCE = 'test://static-text'

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

const uris = (count: number, length = 0) =>
  Array.from({ length: count }, (_, at) => `test://template/${at}${'x'.repeat(length)}/data`)

describe('the filter of subscriptions/listen', () => {
  it.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['an array', []],
    ['a string', 'tools'],
    ['an object with a string for a boolean', { toolsListChanged: 'true' }],
    ['an object with null for a boolean', { promptsListChanged: null }],
    ['an object with a number for a boolean', { resourcesListChanged: 1 }],
    ['an object with a string for an array', { resourceSubscriptions: RESOURCE }],
    ['an object with null for an array', { resourceSubscriptions: null }],
    ['an object with an array of numbers', { resourceSubscriptions: [1] }],
    ['an object with a string that is not a URI', { resourceSubscriptions: ['static text'] }],
    ['an object with 10,000 URIs', { resourceSubscriptions: uris(10_000) }],
    ['an object with a URI of 9,000 characters', { resourceSubscriptions: uris(1, 9000) }],
    ['an object with 4 MB of URIs', { resourceSubscriptions: uris(1000, 3950) }],
  ])('is refused when it is %s', async (_, filter) => {
    const listener = await Listener.open(server.url, filter)
    expect(listener.status).toBe(400)
    expect((await listener.error())?.code).toBe(INVALID_PARAMS)
  })

  const inherited = JSON.parse('{"__proto__":{"toolsListChanged":true},"constructor":true}')
  it.each<[string, object, object]>([
    ['an empty object', {}, {}],
    ['false for every list', { toolsListChanged: false, promptsListChanged: false }, {}],
    ['an object with the keys __proto__ and constructor', inherited, {}],
    [
      'an object with an unknown member',
      { tasks: { id: 1 }, toolsListChanged: true },
      { toolsListChanged: true },
    ],
    [
      'the same URI twice',
      { resourceSubscriptions: [RESOURCE, RESOURCE] },
      { resourceSubscriptions: [RESOURCE] },
    ],
    [
      'only URIs that do not exist',
      { resourceSubscriptions: ['test://nothing', 'https://example.com/'] },
      { resourceSubscriptions: [] },
    ],
  ])('is acknowledged with its valid part when it is %s', async (_, filter, honoured) => {
    const listener = await Listener.open(server.url, filter)
    const [first] = await listener.messages(1)
    listener.close()
    expect(first?.method).toBe('notifications/subscriptions/acknowledged')
    expect(first?.params).toHaveProperty('notifications', honoured)
  })
})

describe('many changes', () => {
  it('are delivered once each to a listener while 20 other listeners do not read', async () => {
    const filter = { resourceSubscriptions: [RESOURCE] }
    const notReading = await Promise.all(
      Array.from({ length: 20 }, () => Listener.open(server.url, filter)),
    )
    const listener = await Listener.open(server.url, { ...filter, toolsListChanged: true })
    for (let batch = 0; batch < 10; batch++) {
      const touch = () => callTool(server.url, 'touch_resource', { uri: RESOURCE })
      await Promise.all(Array.from({ length: 30 }, touch))
    }
    // Changes arrive in the order of their publication, so this one arrives last.
    await callTool(server.url, 'change_tools')
    const messages = await listener.messages(302)
    for (const each of [listener, ...notReading]) each.close()
    const methods = messages.slice(1).map(({ method }) => method)
    expect(methods.slice(0, 300)).toEqual(Array(300).fill('notifications/resources/updated'))
    expect(methods[300]).toBe('notifications/tools/list_changed')
  })

  it('succeed when no client listens', async () => {
    const answer = await callTool(server.url, 'touch_resource', { uri: 'test://nothing' })
    expect(outcomeOf(answer)).toBe('done')
  })
})

describe('listeners', () => {
  /** Opens listeners until one is refused, and returns all of them. */
  async function fill(filter: object): Promise<readonly Listener[]> {
    const listeners: Listener[] = []
    while (listeners.every(({ status }) => status === 200)) {
      const batch = Array.from({ length: 50 }, () => Listener.open(server.url, filter))
      listeners.push(...(await Promise.all(batch)))
    }
    return listeners
  }

  it.each([
    ['a list change', { toolsListChanged: true }],
    ['an empty filter', {}],
  ])(
    'with %s are refused beyond the limit, and accepted again after others disconnect',
    async (_, filter) => {
      const listeners = await fill(filter)
      expect(new Set(listeners.map(({ status }) => status))).toEqual(new Set([200, 429]))
      for (const listener of listeners) listener.close()
      // The server notices a disconnected listener when it sends the next keep-alive.
      await vi.waitFor(
        async () => {
          const listener = await Listener.open(server.url, filter)
          listener.close()
          expect(listener.status).toBe(200)
        },
        { timeout: 30_000, interval: 250 },
      )
    },
  )
})
