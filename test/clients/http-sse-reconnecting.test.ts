/** The 2024-11-05 transport when its stream is cut and `EventSource` reconnects. */
// features: auth
import { expect, inject, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { connectClient, type TestClient } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { createLastEventIdFetch } from './last-event-id-fetch.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { eventsOf, numberOf, progressOf, streamsOf } from './wire.ts'

const KIND = 'v1 over HTTP+SSE'
const CAPABILITIES = { elicitation: { form: {} } }

async function connectThroughProxy(fetchWith = fetch) {
  const proxy = await openTcpProxy(inject('fixtureUrl'))
  const { url } = proxy
  const session = await connectClient(KIND, { url, capabilities: CAPABILITIES, fetch: fetchWith })
  return { ...session, proxy }
}

/** Reads the text content, because not every revision has structured output. */
async function whoami({ call }: TestClient): Promise<{ protocolVersion: string }> {
  return JSON.parse((await call('whoami')).content[0].text)
}

test('a client that sends Last-Event-ID resumes its session and receives every event once', async () => {
  const session = await connectThroughProxy(createLastEventIdFetch())
  const { client, call, answer, on, proxy, wire } = session
  const uri = `probe://item/${crypto.randomUUID()}`
  const updates: string[] = []
  on('notifications/resources/updated', (params) => updates.push(params.uri))
  await client.subscribeResource({ uri })
  await client.setLoggingLevel('error')
  const pending = Promise.withResolvers<object>()
  const asked = answer('elicitation/create', () => pending.promise)
  const waiting = call('test_input_required_result_elicitation')
  await eventually(() => asked.length).toBe(1)
  const working = call('slow', { ms: 300 })
  const cut = proxy.cutAfter('"progress":3')
  const reporting = call('progress', { count: 5, gapMs: 10 }, { onprogress: () => undefined })
  await cut

  // Messages can be posted while the stream is cut.
  await call('touch_resource', { uri })
  pending.resolve(accept({ name: 'Ada' }))
  const results = await Promise.all([waiting, working, reporting])
  expect(results.map(({ content }) => content[0].text)).toEqual(['Hello, Ada!', 'done', 'done'])
  await eventually(() => updates).toEqual([uri])
  expect(asked).toHaveLength(1)
  expect(progressOf(wire)).toEqual([1, 2, 3, 4, 5])
  const ids = streamsOf(wire)
    .flatMap(eventsOf)
    .map(({ id }) => numberOf(id))
  expect(new Set(ids).size).toBe(ids.length)
  expect(streamsOf(wire)).toHaveLength(2)

  // The session still has the client's revision and log level.
  expect(await whoami(session)).toMatchObject({ protocolVersion: '2025-11-25' })
  const levels: string[] = []
  on('notifications/message', ({ level }) => levels.push(level))
  await call('test_logging_tool')
  expect(levels).toEqual(['error'])
})

test('a client that does not send Last-Event-ID receives a new session, in which its calls work', async () => {
  const session = await connectThroughProxy()
  const { call, client, proxy, wire } = session
  const before = await whoami(session)
  proxy.cut()
  await eventually(() => streamsOf(wire)[1]?.text).toContain('event: endpoint')
  expect(await client.ping()).toEqual({})
  expect((await call('echo', { text: 'after reconnecting' })).content[0].text).toBe(
    'after reconnecting',
  )
  expect(await whoami(session)).not.toEqual(before)
})
