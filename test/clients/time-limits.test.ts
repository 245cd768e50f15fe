/** Limits of time that a client reacts to, on a server with short limits. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { textOf } from '../scenarios/client.ts'
import { createModern, createV2 } from '../scenarios/v2-client.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer({ short: true })
})
afterAll(() => server.stop())

/** The client itself, for methods that no other has. */
async function openClient(create: typeof createV2, capabilities = {}) {
  const { client, transport } = create({ url: server.url, capabilities }, fetch)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('a call in a session ends with an error when its ask is not answered in time, and the client withdraws it', async () => {
  expect(server.limits['asks.answerTimeoutMs']).toBe(3000)
  const client = await openClient(createV2, { elicitation: {} })
  const aborted = Promise.withResolvers<string>()
  client.setRequestHandler('elicitation/create', (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => aborted.resolve(String(signal.reason)))
    return new Promise<never>(() => {})
  })
  const result = await client.callTool({ name: 'ask_count', arguments: { name: 'unanswered' } })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toBe('The question was not answered in time. The call may be repeated.')
  expect(await aborted.promise).toContain('The request has ended')
})

test('a subscription ends gracefully at its maximum lifetime, and can be opened again', async () => {
  expect(server.limits['changes.listenLifetimeMs']).toBe(5000)
  const client = await openClient(createModern)
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  const received: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push(params.uri)
  })
  const filter = { resourceSubscriptions: ['probe://static/a'] }
  const subscription = await client.listen(filter)
  expect(await subscription.closed).toBe('graceful')
  await client.listen(filter)
  await client.callTool({ name: 'touch_resource', arguments: { uri: 'probe://static/a' } })
  await expect.poll(() => received).toEqual(['probe://static/a'])
  expect(errors).toEqual([])
})
