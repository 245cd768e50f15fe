/** Connections that are cut: a client comes back by itself, to everything that it has missed and nothing else. */
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../connect.ts'
import { eventually } from './eventually.ts'
import { connectSession, type Kind, type Received } from './session-client.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { together } from './together.ts'
import { type Exchange, eventsOf, messagesOf, streamsOf, type Wire } from './wire.ts'

const CAPABILITIES = { elicitation: { form: {} } }

const accept = (content: object) => ({ action: 'accept', content })

const textOf = ({ content }: Received): string => content[0].text

/** The streams that were taken up again. */
function resumedOf(wire: Wire): readonly Exchange[] {
  return streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))
}

function placeOf(id: string | null | undefined): string | undefined {
  return id?.slice(id.lastIndexOf('~'))
}

async function connectByProxy(kind: Kind, fetchWith = fetch) {
  const proxy = await openTcpProxy(inject('fixtureUrl'))
  const { url } = proxy
  const session = await connectSession(kind, { url, capabilities: CAPABILITIES, fetch: fetchWith })
  await session.listening()
  return { ...session, proxy }
}

describe('each client that speaks Streamable HTTP', () => {
  test(
    'goes on with a call that was cut in the middle of an event, and in the middle of its answer',
    together(async (kind) => {
      const { call, proxy, wire, errors } = await connectByProxy(kind)
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
      const resumed = resumedOf(wire)
      expect(resumed.map(({ headers }) => placeOf(headers.get('last-event-id')))).toEqual([
        '~3',
        '~10',
      ])
      expect(resumed.flatMap(eventsOf).map(({ id }) => placeOf(id))).toEqual([
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
    'goes on with a call that has said nothing yet',
    together(async (kind) => {
      const { call, proxy } = await connectByProxy(kind)
      const cut = proxy.cutAfter('\nretry: 1000\ndata:\n\n')
      const result = call('slow', { ms: 400 })
      await cut
      expect(textOf(await result)).toBe('done')
    }),
  )

  test(
    'is asked a question once that was cut on its way',
    together(async (kind) => {
      const { call, proxy, answer } = await connectByProxy(kind)
      const cut = proxy.cutAfter('"method":"elicitation/cre')
      const asked = answer('elicitation/create', () => accept({ name: 'Ada' }))
      const result = call('test_input_required_result_elicitation')
      await cut
      expect(textOf(await result)).toBe('Hello, Ada!')
      expect(asked).toHaveLength(1)
    }),
  )

  test(
    'is asked once, though its connection is cut while the person thinks',
    together(async (kind) => {
      const { call, proxy, answer, wire } = await connectByProxy(kind)
      const thinking = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => thinking.promise)
      const result = call('test_input_required_result_elicitation')
      await eventually(() => asked.length).toBe(1)
      proxy.cut()
      await eventually(() => resumedOf(wire).length).toBe(2)
      thinking.resolve(accept({ name: 'Ada' }))
      expect(textOf(await result)).toBe('Hello, Ada!')
      expect(asked).toHaveLength(1)
    }),
  )

  test(
    'answers while its stream is cut, and finds the result when it is back',
    together(async (kind) => {
      const mayResume = Promise.withResolvers<void>()
      const { call, proxy, answer, wire } = await connectByProxy(kind, async (input, init) => {
        if (new Headers(init?.headers).has('last-event-id')) await mayResume.promise
        return fetch(input, init)
      })
      const thinking = Promise.withResolvers<object>()
      const asked = answer('elicitation/create', () => thinking.promise)
      const result = call('test_input_required_result_elicitation')
      await eventually(() => asked.length).toBe(1)
      proxy.cut()
      thinking.resolve(accept({ name: 'Ada' }))
      await eventually(() =>
        wire.exchanges.filter(({ body }) => body.includes('"action":"accept"')),
      ).toMatchObject([{ status: 202 }])
      mayResume.resolve()
      expect(textOf(await result)).toBe('Hello, Ada!')
    }),
  )

  test(
    'hears once of every change, before, while and after it was away',
    together(async (kind) => {
      const { client, on, proxy, wire, errors } = await connectByProxy(kind)
      const publisher = await connect('modern')
      const uri = `probe://item/${crypto.randomUUID()}`
      const touch = () => publisher.callTool({ name: 'touch_resource', arguments: { uri } })
      let heard = 0
      on('notifications/resources/updated', () => heard++)
      await client.subscribeResource({ uri })
      await touch()
      await touch()
      await eventually(() => heard).toBe(2)
      proxy.leadTo(undefined)
      proxy.cut()
      for (let round = 0; round < 3; round++) await touch()
      await eventually(() => errors.length).toBe(1)
      proxy.leadTo(inject('fixtureUrl'))
      await eventually(() => heard).toBe(5)
      await touch()
      await eventually(() => heard).toBe(6)
      const ids = streamsOf(wire)
        .flatMap(eventsOf)
        .flatMap(({ id, data }) => (data.includes('resources/updated') ? [id] : []))
      expect(new Set(ids).size).toBe(6)
      await publisher.close()
    }),
  )

  test(
    'hears once of a change that was cut on its way',
    together(async (kind) => {
      const { client, on, call, proxy } = await connectByProxy(kind)
      const uri = `probe://item/${crypto.randomUUID()}`
      const heard: string[] = []
      on('notifications/resources/updated', ({ uri }) => heard.push(uri))
      await client.subscribeResource({ uri })
      const cut = proxy.cutAfter(`"uri":"${uri}`)
      await call('touch_resource', { uri })
      await cut
      await eventually(() => heard).toEqual([uri])
      await call('touch_resource', { uri })
      await eventually(() => heard).toEqual([uri, uri])
    }),
  )

  test(
    'takes up, in another process, a call that the first has begun',
    together(async (kind) => {
      const first = await connectSession(kind)
      const name = `taken-up-${crypto.randomUUID()}`
      const token = Promise.withResolvers<string>()
      const begun = first.call(
        'ten_steps',
        { name, gapMs: 40 },
        { onresumptiontoken: token.resolve },
      )
      const resumptionToken = await token.promise
      const sessionId = first.sessionId() ?? ''
      await first.client.close()
      await expect(begun).rejects.toThrow('Connection closed')

      const second = await connectSession(kind, { sessionId })
      const result = await second.call('ten_steps', { name, gapMs: 0 }, { resumptionToken })
      expect(textOf(result)).toBe('done')
      const read = await second.call('read_count', { name: `${name}-1` })
      expect(read.structuredContent).toEqual({ value: 1 })
      expect(messagesOf(second.wire)).toHaveLength(2)
    }),
  )

  test(
    'cannot take up what belongs to another session',
    together(async (kind) => {
      const [owner, other] = [await connectSession(kind), await connectSession(kind)]
      const token = Promise.withResolvers<string>()
      const own = owner.call('slow', { ms: 300 }, { onresumptiontoken: token.resolve })
      const resumptionToken = await token.promise
      const giveUp = new AbortController()
      const call = other.call('slow', { ms: 0 }, { resumptionToken, signal: giveUp.signal })
      const refused = expect(call).rejects.toThrow('enough')
      await eventually(() => {
        const tries = other.wire.exchanges.filter(({ headers }) => headers.has('last-event-id'))
        return tries.map(({ status }) => status)
      }).toEqual([400])
      giveUp.abort(new Error('enough'))
      await refused
      expect(textOf(await own)).toBe('done')
    }),
  )
})
