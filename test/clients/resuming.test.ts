/** Connections that are cut: a client reconnects and receives exactly the events that it has not received. */
// features: auth
import { describe, expect, inject, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { type Received, textOf } from './client-interface.ts'
import { connectClient, type Kind } from './connect-client.ts'
import { eventually } from './eventually.ts'
import { forEachKind } from './for-each-kind.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { openClient } from './v2-client.ts'
import { eventsOf, messagesOf, numberOf, resumedStreamsOf, streamsOf } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

async function connectThroughProxy(kind: Kind, fetchWith = fetch) {
  const proxy = await openTcpProxy(inject('fixtureUrl'))
  const { url } = proxy
  const session = await connectClient(kind, { url, capabilities: CAPABILITIES, fetch: fetchWith })
  await session.listening()
  return { ...session, proxy }
}

describe('each client over Streamable HTTP', () => {
  test(
    'resumes a call whose stream was cut inside an event and inside the answer',
    forEachKind(async (kind) => {
      const { call, proxy, wire, errors } = await connectThroughProxy(kind)
      const progress: number[] = []
      const cuts = [proxy.cutAfter('"progress":4'), proxy.cutAfter('"text":"do')]
      const result = await call(
        'progress',
        { count: 10, gapMs: 5 },
        { onprogress: (step: Received) => progress.push(step.progress) },
      )
      await Promise.all(cuts)
      expect(textOf(result)).toBe('done')
      expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      const resumed = resumedStreamsOf(wire)
      expect(resumed.map(({ headers }) => numberOf(headers.get('last-event-id')))).toEqual([
        '~3',
        '~10',
      ])
      expect(resumed.flatMap(eventsOf).map(({ id }) => numberOf(id))).toEqual([
        ...['~3', '~4', '~5', '~6', '~7', '~8', '~9', '~10'],
        ...['~10', '~11'],
      ])
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringContaining('SSE stream disconnected'),
        expect.stringContaining('SSE stream disconnected'),
      ])
    }),
  )

  test(
    'resumes a call whose stream was cut before its first message',
    forEachKind(async (kind) => {
      const { call, proxy } = await connectThroughProxy(kind)
      const cut = proxy.cutAfter('\nretry: 1000\ndata:\n\n')
      const result = call('slow', { ms: 400 })
      await cut
      expect(textOf(await result)).toBe('done')
    }),
  )

  test(
    'receives an ask once when the connection was cut inside it',
    forEachKind(async (kind) => {
      const { call, proxy, answer } = await connectThroughProxy(kind)
      const cut = proxy.cutAfter('"method":"elicitation/cre')
      const asked = answer('elicitation/create', () => accept({ name: 'Ada' }))
      const result = call('test_input_required_result_elicitation')
      await cut
      expect(textOf(await result)).toBe('Hello, Ada!')
      expect(asked).toHaveLength(1)
    }),
  )

  test(
    'answers an ask while its stream is cut, and receives the result when it resumes',
    forEachKind(async (kind) => {
      const mayResume = Promise.withResolvers<void>()
      const { call, proxy, answer, wire } = await connectThroughProxy(kind, async (input, init) => {
        if (new Headers(init?.headers).has('last-event-id')) await mayResume.promise
        return fetch(input, init)
      })
      const pending = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => pending.promise)
      const result = call('test_input_required_result_elicitation')
      await eventually(() => asked.length).toBe(1)
      proxy.cut()
      pending.resolve(accept({ name: 'Ada' }))
      await eventually(() =>
        wire.exchanges.filter(({ body }) => body.includes('"action":"accept"')),
      ).toMatchObject([{ status: 202 }])
      mayResume.resolve()
      expect(textOf(await result)).toBe('Hello, Ada!')
    }),
  )

  test(
    'receives changes from before, during and after a disconnection once each',
    forEachKind(async (kind) => {
      const { client, on, proxy, wire, errors } = await connectThroughProxy(kind)
      const publisher = await openClient('v2, modern')
      const uri = `probe://item/${crypto.randomUUID()}`
      const touch = () => publisher.callTool({ name: 'touch_resource', arguments: { uri } })
      let updates = 0
      on('notifications/resources/updated', () => updates++)
      await client.subscribeResource({ uri })
      await touch()
      await touch()
      await eventually(() => updates).toBe(2)
      proxy.forwardTo(undefined)
      proxy.cut()
      for (let round = 0; round < 3; round++) await touch()
      await eventually(() => errors.length).toBe(1)
      proxy.forwardTo(inject('fixtureUrl'))
      await eventually(() => updates).toBe(5)
      await touch()
      await eventually(() => updates).toBe(6)
      const ids = streamsOf(wire)
        .flatMap(eventsOf)
        .flatMap(({ id, data }) => (data.includes('resources/updated') ? [id] : []))
      expect(new Set(ids).size).toBe(6)
    }),
  )

  test(
    'resumes a call that another client of the session started',
    forEachKind(async (kind) => {
      const first = await connectClient(kind)
      const name = `resumed-${crypto.randomUUID()}`
      const token = Promise.withResolvers<string>()
      const started = first.call(
        'ten_steps',
        { name, gapMs: 40 },
        { onresumptiontoken: token.resolve },
      )
      const resumptionToken = await token.promise
      const sessionId = first.sessionId() ?? ''
      await first.client.close()
      await expect(started).rejects.toThrow('Connection closed')

      const second = await connectClient(kind, { sessionId })
      const result = await second.call('ten_steps', { name, gapMs: 0 }, { resumptionToken })
      expect(textOf(result)).toBe('done')
      const read = await second.call('read_count', { name: `${name}-1` })
      expect(read.structuredContent).toEqual({ value: 1 })
      expect(messagesOf(second.wire)).toHaveLength(2)
    }),
  )
})
