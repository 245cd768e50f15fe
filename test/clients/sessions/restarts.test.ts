/** The server is killed and restarted while clients are connected, which continue their sessions. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accept } from '../../support/accept.ts'
import { startFixtureServer } from '../../support/node/fixture-server.ts'
import { connect, textOf } from '../connect.ts'
import {
  connectSession,
  KINDS,
  type Kind,
  type SessionClient,
  STREAMABLE_KINDS,
} from './connect-session.ts'
import { eventually } from './eventually.ts'
import { createLastEventIdFetch } from './last-event-id-fetch.ts'
import { readCount } from './read-count.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { progressOf, streamsOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

interface Restartable {
  readonly proxy: TcpProxy
  kill(): Promise<void>
  /** Resolves with the address of the new process. The proxy does not forward to it yet. */
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
      proxy.forwardTo(undefined)
      process.kill(first.pid, 'SIGKILL')
      await first.stop()
    },
    start: async () => (await start()).url,
    connect: async (kind) => {
      const session = await connectSession(kind, {
        url: proxy.url,
        capabilities: CAPABILITIES,
        ...(kind === 'v1 over HTTP+SSE' && { fetch: createLastEventIdFetch() }),
      })
      await session.listening()
      return session
    },
  }
}

/** Connects a client of each kind, in this order. */
function connectEach(server: Restartable, kinds = STREAMABLE_KINDS): Promise<SessionClient[]> {
  return Promise.all(kinds.map((kind) => server.connect(kind)))
}

test('an open ask is answered after a restart, and its call completes', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server, KINDS)
  const pending = Promise.withResolvers<object>()
  const asked = clients.map(({ answer }) => answer('elicitation/create', () => pending.promise))
  const names = KINDS.map((kind) => `restart-${kind}`)
  const calls = clients.map(({ call }, index) =>
    call('ask_count', { name: names[index] }, { onprogress: () => undefined }),
  )
  await eventually(() => asked.map(({ length }) => length)).toEqual([1, 1, 1])
  await server.kill()
  server.proxy.forwardTo(await server.start())
  // Each client has reopened its streams: the standalone one and, over Streamable HTTP, that of its call.
  for (const [index, { wire }] of clients.entries()) {
    const streams = KINDS[index] === 'v1 over HTTP+SSE' ? 2 : 3
    await eventually(() => streamsOf(wire).length).toBe(streams)
  }
  pending.resolve(accept({ ok: true }))

  const results = await Promise.all(calls)
  const done = { action: 'accept', ok: true }
  const outcomes = results.map(({ structuredContent }) => structuredContent)
  expect(outcomes).toEqual([done, done, done])
  expect(asked.map(({ length }) => length)).toEqual([1, 1, 1])
  for (const [index, client] of clients.entries()) {
    for (const step of ['first', 'second']) {
      expect(await readCount(client, `${names[index]}-${step}`)).toBe(1)
    }
    expect(progressOf(client.wire)).toEqual([1, 3])
  }
})

test('an interrupted call is resumed when it is read-only, and otherwise ends with an error', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server)
  const repeated = clients.map(({ call }) => call('reads_only', { ms: 10_000 }))
  const ended = clients.map(({ call }) => call('slow', { ms: 60_000 }))
  // The server has rows of the calls when their streams have begun.
  await eventually(() =>
    clients.map(({ wire }) => {
      const calls = wire.exchanges.filter(({ body }) => body.includes('"tools/call"'))
      return calls.filter(({ text }) => text.includes('retry:')).length
    }),
  ).toEqual([2, 2])
  await server.kill()
  server.proxy.forwardTo(await server.start())
  const values = (await Promise.all(repeated)).map(({ structuredContent }) => structuredContent)
  expect(values.toSorted((a, b) => a.value - b.value)).toEqual([{ value: 1 }, { value: 2 }])
  for (const result of await Promise.all(ended)) {
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe(
      'The server was interrupted while this call was running. Part of its work may have been done: check before repeating the call.',
    )
  }
})

test('subscriptions and log levels survive a restart, and no change is lost', async () => {
  const server = await startRestartable()
  const clients = await connectEach(server)
  const uri = 'probe://static/a'
  const updates = clients.map(({ on }) => {
    const uris: string[] = []
    on('notifications/resources/updated', (params) => uris.push(params.uri))
    return uris
  })
  for (const { client } of clients) {
    await client.subscribeResource({ uri })
    await client.setLoggingLevel('error')
  }
  await clients[0]?.call('touch_resource', { uri })
  await eventually(() => updates).toEqual([[uri], [uri]])

  await server.kill()
  const url = await server.start()
  const publisher = await connect('modern', { url })
  // No client has reconnected yet.
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
  server.proxy.forwardTo(url)
  await eventually(() => updates).toEqual([
    [uri, uri],
    [uri, uri],
  ])
  await publisher.callTool({ name: 'touch_resource', arguments: { uri } })
  await eventually(() => updates).toEqual([
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

test('an ended session stays ended after a restart, and another session continues', async () => {
  const server = await startRestartable()
  const [ended, kept] = [await server.connect('v1'), await server.connect('v2')]
  const sessionId = ended.sessionId() ?? ''
  const resumed = await connectSession('v1', { url: server.proxy.url, sessionId })
  await resumed.call('test_simple_text')
  await ended.terminate()
  await ended.client.close()
  await server.kill()
  server.proxy.forwardTo(await server.start())
  await expect(resumed.call('test_simple_text')).rejects.toThrow('Session not found')
  const { structuredContent } = await kept.call('whoami')
  expect(structuredContent.sessionId).toBe(kept.sessionId())
})
