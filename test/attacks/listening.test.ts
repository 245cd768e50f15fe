/** Many changes at once, and more listeners than the limit. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callTool, Listener } from './modern.ts'

const RESOURCE = 'test://static-text'

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

it('many changes are delivered once each to a listener while 20 other listeners do not read', async () => {
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

it('listeners are refused beyond the limit, and accepted again after others disconnect', async () => {
  const filter = { toolsListChanged: true }
  const listeners: Listener[] = []
  while (listeners.every(({ status }) => status === 200)) {
    const batch = Array.from({ length: 50 }, () => Listener.open(server.url, filter))
    listeners.push(...(await Promise.all(batch)))
  }
  expect(new Set(listeners.map(({ status }) => status))).toEqual(new Set([200, 429]))
  for (const listener of listeners) listener.close()
  // The server notices a disconnected listener when it sends the next keep-alive.
  const acceptsAnother = async () => {
    const listener = await Listener.open(server.url, filter)
    listener.close()
    expect(listener.status).toBe(200)
  }
  await vi.waitFor(acceptsAnother, { timeout: 30_000, interval: 250 })
})
