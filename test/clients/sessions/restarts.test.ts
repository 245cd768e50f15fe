/** The server killed and started again under clients that are connected: they go on by themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFixtureServer } from '../../support/node/fixture-server.ts'
import { connect } from '../connect.ts'
import { eventually } from './eventually.ts'
import { createRememberingFetch } from './remembering-fetch.ts'
import {
  connectSession,
  KINDS,
  type Kind,
  type Received,
  type SessionClient,
  STREAMABLE_KINDS,
} from './session-client.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { messagesOf, streamsOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

interface Restartable {
  readonly proxy: TcpProxy
  kill(): Promise<void>
  /** Resolves with the address of the new process, to which the proxy does not lead yet. */
  start(): Promise<string>
  connect(kind: Kind): Promise<SessionClient>
}

async function startRestartable(): Promise<Restartable> {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-sessions-'))
  const start = async () => {
    const server = await startFixtureServer({ state })
    onTestFinished(() => server.stop())
    return server
  }
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  const first = await start()
  const proxy = await openTcpProxy(first.url)
  return {
    proxy,
    kill: async () => {
      proxy.leadTo(undefined)
      process.kill(first.pid, 'SIGKILL')
      await first.stop()
    },
    start: async () => (await start()).url,
    connect: async (kind) => {
      const session = await connectSession(kind, {
        url: proxy.url,
        capabilities: CAPABILITIES,
        ...(kind === 'v1 over HTTP+SSE' && { fetch: createRememberingFetch() }),
      })
      await session.listening()
      return session
    },
  }
}

/** A client of each kind, in this order. */
function connectEach(server: Restartable, kinds = STREAMABLE_KINDS): Promise<SessionClient[]> {
  return Promise.all(kinds.map((kind) => server.connect(kind)))
}

const textOf = ({ content }: Received): string => content[0].text

test('a question that is open is answered after a restart, and its call goes on', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server, KINDS)
  const thinking = Promise.withResolvers<object>()
  const asked = clients.map(({ answer }) => answer('elicitation/create', () => thinking.promise))
  const names = KINDS.map((kind) => `restart-${kind}`)
  const calls = clients.map(({ call }, index) =>
    call('ask_count', { name: names[index] }, { onprogress: () => undefined }),
  )
  await eventually(() => asked.map(({ length }) => length)).toEqual([1, 1, 1])
  await server.kill()
  server.proxy.leadTo(await server.start())
  // Back on its streams: that of its session, and that of its call where that has its own.
  for (const [index, { wire }] of clients.entries()) {
    const streams = KINDS[index] === 'v1 over HTTP+SSE' ? 2 : 3
    await eventually(() => streamsOf(wire).length).toBe(streams)
  }
  thinking.resolve({ action: 'accept', content: { ok: true } })

  const results = await Promise.all(calls)
  const accepted = { action: 'accept', ok: true }
  const outcomes = results.map(({ structuredContent }) => structuredContent)
  expect(outcomes).toEqual([accepted, accepted, accepted])
  expect(asked.map(({ length }) => length)).toEqual([1, 1, 1])
  for (const [index, { call, wire }] of clients.entries()) {
    const count = async (step: string) =>
      (await call('read_count', { name: `${names[index]}-${step}` })).structuredContent.value
    expect([await count('first'), await count('second')]).toEqual([1, 1])
    const reported = messagesOf(wire).flatMap(({ method, params }) =>
      method === 'notifications/progress' ? [params.progress] : [],
    )
    expect(reported).toEqual([1, 3])
  }
})

test('a call that was cut off is made again where that does no harm, and else ends with a word', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server)
  const repeated = clients.map(({ call }) => call('reads_only', { ms: 1000 }))
  const ended = clients.map(({ call }) => call('slow', { ms: 60_000 }))
  // Their streams have begun, so the server has rows of them.
  await eventually(() =>
    clients.map(({ wire }) => {
      const calls = wire.exchanges.filter(({ body }) => body.includes('"tools/call"'))
      return calls.filter(({ text }) => text.includes('retry:')).length
    }),
  ).toEqual([2, 2])
  await server.kill()
  server.proxy.leadTo(await server.start())
  const values = (await Promise.all(repeated)).map(({ structuredContent }) => structuredContent)
  expect(values.toSorted((a, b) => a.value - b.value)).toEqual([{ value: 1 }, { value: 2 }])
  for (const result of await Promise.all(ended)) {
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe(
      'The server was interrupted while this call was running. Part of its work may have been done: check before repeating the call.',
    )
  }
})

test('what a client has subscribed to and set outlives a restart, and no change is missed', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server)
  const uri = 'probe://static/a'
  const heard = clients.map(({ on }) => {
    const uris: string[] = []
    on('notifications/resources/updated', (params) => uris.push(params.uri))
    return uris
  })
  for (const { client } of clients) {
    await client.subscribeResource({ uri })
    await client.setLoggingLevel('error')
  }
  await clients[0]?.call('touch_resource', { uri })
  await eventually(() => heard).toEqual([[uri], [uri]])

  await server.kill()
  const url = await server.start()
  const publisher = await connect('modern', { url })
  // Nobody is back yet.
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
  server.proxy.leadTo(url)
  await eventually(() => heard).toEqual([
    [uri, uri],
    [uri, uri],
  ])
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
  await eventually(() => heard).toEqual([
    [uri, uri, uri],
    [uri, uri, uri],
  ])
  for (const { call, on } of clients) {
    const levels: string[] = []
    on('notifications/message', ({ level }) => levels.push(level))
    await call('test_logging_tool')
    expect(levels).toEqual(['error'])
  }
  await publisher.close()
})

test('a session that has ended stays so after a restart, and another goes on', async () => {
  const server = await startRestartable()
  const [ended, kept] = [await server.connect('v1'), await server.connect('v2')]
  const sessionId = ended.sessionId() ?? ''
  const resumed = await connectSession('v1', { url: server.proxy.url, sessionId })
  await resumed.call('test_simple_text')
  await ended.terminate()
  await ended.client.close()
  await server.kill()
  server.proxy.leadTo(await server.start())
  await expect(resumed.call('test_simple_text')).rejects.toThrow('Session not found')
  const { structuredContent } = await kept.call('whoami')
  expect(structuredContent.sessionId).toBe(kept.sessionId())
})
