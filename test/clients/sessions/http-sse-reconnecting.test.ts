/** The older transport when its one stream is cut: `EventSource` comes back by itself. */
import { expect, inject, test } from 'vitest'
import { eventually } from './eventually.ts'
import { createRememberingFetch } from './remembering-fetch.ts'
import { connectSession, type SessionClient } from './session-client.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { eventsOf, messagesOf, streamsOf } from './wire.ts'

const KIND = 'v1 over HTTP+SSE'
const CAPABILITIES = { elicitation: { form: {} } }

async function connectByProxy(fetchWith = fetch) {
  const proxy = await openTcpProxy(inject('fixtureUrl'))
  const { url } = proxy
  const session = await connectSession(KIND, { url, capabilities: CAPABILITIES, fetch: fetchWith })
  return { ...session, proxy }
}

/** In the text, because not every revision has structured output. */
async function whoami({ call }: SessionClient): Promise<{ protocolVersion: string }> {
  return JSON.parse((await call('whoami')).content[0].text)
}

test('a stream that is cut is taken up in its session: nothing is lost, nothing comes twice', async () => {
  const session = await connectByProxy(createRememberingFetch())
  const { client, call, answer, on, proxy, wire } = session
  const uri = `probe://item/${crypto.randomUUID()}`
  const heard: string[] = []
  on('notifications/resources/updated', (params) => heard.push(params.uri))
  await client.subscribeResource({ uri })
  await client.setLoggingLevel('error')
  const thinking = Promise.withResolvers<object>()
  const asked = answer('elicitation/create', () => thinking.promise)
  const waiting = call('test_input_required_result_elicitation')
  await eventually(() => asked.length).toBe(1)
  const working = call('slow', { ms: 300 })
  const cut = proxy.cutAfter('"progress":3')
  const reporting = call('progress', { count: 5, gapMs: 10 }, { onprogress: () => undefined })
  await cut

  // The posting half goes on while the stream is away.
  await call('touch_resource', { uri })
  thinking.resolve({ action: 'accept', content: { name: 'Ada' } })
  const results = await Promise.all([waiting, working, reporting])
  expect(results.map(({ content }) => content[0].text)).toEqual(['Hello, Ada!', 'done', 'done'])
  await eventually(() => heard).toEqual([uri])
  expect(asked).toHaveLength(1)
  const progress = messagesOf(wire).flatMap(({ method, params }) =>
    method === 'notifications/progress' ? [params.progress] : [],
  )
  expect(progress).toEqual([1, 2, 3, 4, 5])
  const ids = streamsOf(wire)
    .flatMap(eventsOf)
    .map(({ id }) => id?.slice(id.lastIndexOf('~')))
  expect(new Set(ids).size).toBe(ids.length)
  expect(streamsOf(wire)).toHaveLength(2)

  // What the client has said of itself and set is still known.
  expect(await whoami(session)).toMatchObject({ protocolVersion: '2025-11-25' })
  const levels: string[] = []
  on('notifications/message', ({ level }) => levels.push(level))
  await call('test_logging_tool')
  expect(levels).toEqual(['error'])
})

test('a client that does not say where it was is given a new session, and its calls go on', async () => {
  const session = await connectByProxy()
  const { call, client, proxy, wire } = session
  const before = await whoami(session)
  proxy.cut()
  await eventually(() => streamsOf(wire)[1]?.text).toContain('event: endpoint')
  expect(await client.ping()).toEqual({})
  expect((await call('echo', { text: 'still here' })).content[0].text).toBe('still here')
  expect(await whoami(session)).not.toEqual(before)
})
