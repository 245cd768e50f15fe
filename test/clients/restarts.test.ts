/** The server is killed and restarted while clients are connected, which continue their calls. */
import { expect, onTestFinished, test } from 'vitest'
import { PersistentServer } from '../faults/sessions/persistent-server.ts'
import { eventsOf, progressOf, recordWire, streamsOf } from '../scenarios/wire.ts'
import { accept } from '../support/accept.ts'
import { connectClient, KINDS } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { openTcpProxy } from './tcp-proxy.ts'

/** Sends `Last-Event-ID` as `EventSource` does, whose headers the transport of the official client replaces. */
function createLastEventIdFetch(): typeof fetch {
  const { fetch: recorded, exchanges } = recordWire()
  return (input, init) => {
    const request = new Request(input, init)
    const last = exchanges.flatMap(eventsOf).findLast(({ id }) => id !== undefined)
    if (request.headers.get('accept') === 'text/event-stream' && last?.id !== undefined) {
      request.headers.set('last-event-id', last.id)
    }
    return recorded(request)
  }
}

/** Each client reopens its streams: the standalone one and, over Streamable HTTP, that of its call. */
const STREAMS = { v1: 3, 'v1 over HTTP+SSE': 2, v2: 3, 'v2, modern': 0 }

test('an open ask is answered after a restart, and its call completes', async () => {
  const server = await PersistentServer.start(onTestFinished)
  const proxy = await openTcpProxy(server.url)
  const clients = await Promise.all(
    KINDS.map(async (kind) => {
      const client = await connectClient(kind, {
        url: proxy.url,
        capabilities: { elicitation: { form: {} } },
        ...(kind === 'v1 over HTTP+SSE' && { fetch: createLastEventIdFetch() }),
      })
      if (kind !== 'v2, modern') await client.listening()
      return client
    }),
  )
  const pending = Promise.withResolvers<object>()
  const asked = clients.map(({ answer }) => answer('elicitation/create', () => pending.promise))
  const names = KINDS.map((kind) => `restart-${kind}`)
  const calls = clients.map(({ call }, index) =>
    call('ask_count', { name: names[index] }, { onprogress: () => undefined }),
  )
  const once = KINDS.map(() => 1)
  await eventually(() => asked.map(({ length }) => length)).toEqual(once)
  proxy.forwardTo(undefined)
  proxy.forwardTo(await server.restart())
  await eventually(() => clients.map(({ wire }) => streamsOf(wire).length)).toEqual(
    KINDS.map((kind) => STREAMS[kind]),
  )
  pending.resolve(accept({ ok: true }))

  const results = await Promise.all(calls)
  const outcomes = results.map(({ structuredContent }) => structuredContent)
  expect(outcomes).toEqual(KINDS.map(() => ({ action: 'accept', ok: true })))
  expect(asked.map(({ length }) => length)).toEqual(once)
  for (const [index, client] of clients.entries()) {
    for (const step of ['first', 'second']) {
      const { structuredContent } = await client.call('read_count', {
        name: `${names[index]}-${step}`,
      })
      expect(structuredContent).toEqual({ value: 1 })
    }
    expect(progressOf(client.wire)).toEqual([1, 3])
  }
})
