/** An event object serves one server of its Worker, and refuses the requests of another. */
// features: events
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { defineEvent, events } from '../../src/features/events/index.ts'
import { McpServer } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { connect, createEventReceiver } from '../../src/testing/index.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { openObjectsOf } from '../support/opened-objects.ts'
import { trusting } from '../support/trusting.ts'

const reported: TelemetryEvent[] = []

const TYPE = 'note.changed'

/** A server with the event type of both, over the objects of the one that was opened. */
function openServer(name: string, options: FullOptions) {
  const payload = z.object({ text: z.string() })
  return createFullEdgeway(new McpServer({ name, version: '1.0.0' }), {
    telemetry: (event) => reported.push(event),
    rateLimits: false,
    httpSse: false,
    events: events({
      types: [defineEvent(TYPE, { description: 'A note', payload, history: 60_000 })],
      binding: 'OPENED_EVENTS',
      anonymousPrincipal: 'everyone',
    }),
    ...options,
  })
}

const notes = openObjectsOf(
  openServer('notes', { auth: trusting('https://notes.example.com'), otherPaths: ['/notes'] }),
)

const docs = openServer('docs', { path: '/docs' })

function receiver() {
  const created = createEventReceiver().listen()
  onTestFinished(() => created.close())
  return created
}

/** What a caller asks of the objects, and what the code of a server does. */
const REQUESTS = [
  ['a poll', ({ client }) => client.events.poll(TYPE)],
  ['a stream', ({ client }) => client.events.stream(TYPE)],
  ['a subscription', ({ client }) => client.events.subscribe(TYPE, { callback: receiver() })],
  ['the end of one', ({ client }) => client.events.unsubscribe(TYPE, { callback: receiver() })],
  ['an emit', ({ control }) => control.emit(TYPE, { text: 'a' })],
  ['a gap', ({ control }) => control.gap(TYPE)],
  ['the list of subscriptions', ({ control }) => control.subscriptions()],
  ['an end by the server', ({ control }) => control.endSubscription('sub_a', 'No reason')],
] as const satisfies readonly (readonly [
  string,
  (server: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
])[]

async function open(app: typeof docs, path: string, token?: string) {
  const client = await connect(app, { env, url: path, ...(token !== undefined && { token }) })
  onTestFinished(() => client.close())
  return { client, control: app.events(env) }
}

describe('an event object of a server with authorization', () => {
  it.each(REQUESTS)('refuses %s of another server of the Worker', async (_, ask) => {
    const server = await open(docs, '/docs')
    const before = reported.length
    const message = await ask(server).then(
      () => 'served',
      (error: Error) => error.message,
    )
    expect(message).not.toBe('served')
    const errors = reported
      .slice(before)
      .flatMap((event) => (event.type === 'internal-error' ? [event.error] : []))
    expect(errors).toContainEqual(
      expect.objectContaining({
        name: 'OtherServerError',
        message:
          'The event objects of this binding are those of the server "notes" (/mcp, /notes), and the server "docs" (/docs) of the Worker uses them too. Export a class for each server, and name its binding in events({ binding })',
      }),
    )
  })

  it('does not disclose its name to the clients of another server', async () => {
    const { client } = await open(docs, '/docs')
    await expect(client.events.poll(TYPE)).rejects.toMatchObject({
      code: -32_603,
      message: expect.not.stringMatching(/notes|OPENED_EVENTS/),
    })
  })

  it('is reported as the binding of two servers, before it refuses a request', async () => {
    const bindings = { ...env }
    const before = reported.length
    for (const [app, path] of [
      [notes, '/mcp'],
      [docs, '/docs'],
    ] as const) {
      const client = await connect(app, { env: bindings, url: path, token: 'ada' })
      await client.events.poll(TYPE).catch(() => undefined)
    }
    const warnings = reported.slice(before).filter(({ type }) => type === 'definition-warning')
    expect(warnings).toEqual([expect.objectContaining({ subject: 'The binding OPENED_EVENTS' })])
  })

  it.each(['/mcp', '/notes'])('serves its server at %s', async (path) => {
    const { client, control } = await open(notes, path, crypto.randomUUID())
    const callback = receiver()
    const { cursor } = await client.events.subscribe(TYPE, { callback })
    await control.emit(TYPE, { text: path })
    await callback.next()
    expect(callback.events.map(({ data }) => data)).toEqual([{ text: path }])
    const polled = await client.events.poll(TYPE, { cursor })
    expect(polled.events.map((event) => event.data)).toEqual([{ text: path }])
    const stream = await client.events.stream(TYPE, { cursor })
    expect((await stream.next()).data).toEqual({ text: path })
    await stream.close()
    await client.events.unsubscribe(TYPE, { callback })
  })
})
