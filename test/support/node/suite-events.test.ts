/**
 * The fixture server as the conformance suite for MCP Events probes it: with the first type that offers a mode, with
 * made-up arguments and URLs, and with its times. The suite itself is a pull request and in no package.
 *
 * @see https://github.com/modelcontextprotocol/conformance/pull/504
 */
// features: events
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEventSecret,
  type EventReceiver,
} from '../../../packages/testing/src/event-receiver.ts'
import type { EventDescriptor } from '../../../packages/testing/src/events.ts'
import type { TestClient } from '../../../packages/testing/src/test-client.ts'
import { type FixtureServer, startFixtureServer } from './fixture-server.ts'
import { openClient } from './http-client.ts'
import { type HttpReceivers, startHttpReceivers } from './http-receiver.ts'

const CALLBACK = `https://conformance.invalid/mcp-events/${Date.now()}`
const HOUR_MS = 3_600_000
const DELIVERY_WAIT_MS = 20_000
const SETTLE_MS = 5_000
const WATCH_MS = 35_000
const LONGEST_SILENCE_MS = 32_000

let receivers: HttpReceivers
let server: FixtureServer
let client: TestClient
let types: readonly EventDescriptor[]

beforeAll(async () => {
  receivers = await startHttpReceivers()
  server = await startFixtureServer({ challenge: true })
  client = await openClient(server.url)
  types = await client.events.list()
})

afterAll(async () => {
  await server?.stop()
  receivers?.stop()
})

/** The suite takes the first one. */
function firstWith(mode: 'poll' | 'push' | 'webhook'): string {
  return types.find(({ delivery }) => delivery.includes(mode))?.name ?? ''
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function subscribe(url: string, changed: Record<string, unknown> = {}) {
  const delivery = { mode: 'webhook', url, secret: createEventSecret() }
  const params = { name: firstWith('webhook'), arguments: {}, delivery, cursor: null, ...changed }
  return client.request('events/subscribe', params)
}

function release(url: string) {
  const delivery = { mode: 'webhook', url }
  const params = { name: firstWith('webhook'), arguments: {}, delivery }
  return client.request('events/unsubscribe', params)
}

async function codeOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => 'served',
    ({ code }) => code,
  )
}

describe('the scenario events-poll', () => {
  it('receives events within 6 seconds from the first cursor', async () => {
    const name = firstWith('poll')
    const first = await client.events.poll(name, { arguments: {}, maxAgeMs: HOUR_MS })
    expect([first.events, typeof first.cursor]).toEqual([[], 'string'])
    const began = Date.now()
    let { cursor } = first
    const ids: string[] = []
    while (ids.length < 2 && Date.now() - began < 6000) {
      await sleep(Math.min(2000, Math.max(250, first.nextPollMs)))
      const result = await client.events.poll(name, { arguments: {}, cursor, maxEvents: 1 })
      ids.push(...result.events.map(({ eventId }) => eventId))
      cursor = result.cursor
    }
    expect(new Set(ids).size).toBe(2)
  })

  it('finds a type without poll, and a typed argument to violate', async () => {
    const other = types.find(({ delivery }) => !delivery.includes('poll'))?.name ?? ''
    expect(await codeOf(client.events.poll(other))).toBe(-32_014)
    const [property] = Object.keys(types[0]?.inputSchema.properties ?? {})
    const args = { [property ?? '']: { not: 'of any type' } }
    expect(await codeOf(client.events.poll(types[0]?.name ?? '', { arguments: args }))).toBe(
      -32_602,
    )
  })
})

describe('the scenario events-push', () => {
  it('sees `active` long before a heartbeat, events, and heartbeats at most 32 seconds apart', async () => {
    const began = Date.now()
    const stream = await client.events.stream(firstWith('push'), { arguments: {} })
    expect(Date.now() - began).toBeLessThan(20_000)
    const beats = [Date.now()]
    while (Date.now() - began < WATCH_MS) {
      await stream.nextMessage('heartbeat', LONGEST_SILENCE_MS)
      beats.push(Date.now())
    }
    stream.close()
    const gaps = beats.slice(1).map((at, place) => at - (beats[place] ?? at))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(LONGEST_SILENCE_MS)
    expect(stream.messages.filter(({ kind }) => kind === 'event').length).toBeGreaterThan(10)
  })

  it('ends a second type with push by its control, and no other', async () => {
    const [first, second] = types.filter(({ delivery }) => delivery.includes('push'))
    const kept = await client.events.stream(first?.name ?? '', { arguments: {} })
    const ended = await client.events.stream(second?.name ?? '', { arguments: {} })
    await client.callTool('events_conformance_terminate', { name: second?.name })
    const { result = {} } = await ended.ended
    expect(Object.keys(result).filter((key) => !['_meta', 'resultType'].includes(key))).toEqual([])
    expect((await kept.next()).name).toBe(first?.name)
    kept.close()
  })
})

describe('the scenario events-webhook', () => {
  it('subscribes a callback that never answers, refreshes it and ends it', async () => {
    const first = await subscribe(CALLBACK, { ttlMs: HOUR_MS })
    expect(Date.parse(String(first.refreshBefore))).toBeLessThanOrEqual(Date.now() + HOUR_MS)
    expect((await subscribe(CALLBACK, { ttlMs: HOUR_MS })).id).toBe(first.id)
    for (const [suffix, changed] of [
      ['-ttl-default', {}],
      ['-ttl-short', { ttlMs: 1000 }],
      ['-ttl-long', { ttlMs: 30 * 24 * HOUR_MS }],
      ['-by-id', { id: first.id }],
    ] as const) {
      const { id, refreshBefore } = await subscribe(CALLBACK + suffix, changed)
      expect([suffix, typeof refreshBefore, id === first.id]).toEqual([suffix, 'string', false])
      await release(CALLBACK + suffix)
    }
    await release(CALLBACK)
    const never = release(`https://conformance.invalid/mcp-events/never-subscribed`)
    expect(await codeOf(never)).toBe(-32_011)
  })

  it.each([
    { url: CALLBACK },
    { url: CALLBACK, secret: 'not-a-standard-webhooks-secret' },
    { url: CALLBACK, secret: `whsec_${btoa('\0'.repeat(8))}` },
    { url: 'http://conformance.invalid/insecure', secret: createEventSecret() },
  ])('has %j refused as InvalidParams', async (delivery) => {
    const refused = subscribe(CALLBACK, { delivery: { mode: 'webhook', ...delivery } })
    expect(await codeOf(refused)).toBe(-32_602)
  })

  it('has a type without webhook refused as Unsupported', async () => {
    const name = types.find(({ delivery }) => !delivery.includes('webhook'))?.name
    expect(await codeOf(subscribe(CALLBACK, { name }))).toBe(-32_014)
  })
})

describe('the scenario events-webhook-delivery', () => {
  const open = async (prepare: (callback: EventReceiver) => void = () => undefined) => {
    const callback = receivers.open()
    prepare(callback)
    const { id } = await client.events.subscribe(firstWith('webhook'), {
      callback,
      arguments: {},
      ttlMs: HOUR_MS,
    })
    return { callback, id: String(id), end: () => release(callback.url) }
  }

  it('has the callback of this machine refused, then allowed by the control, with a challenge first', async () => {
    const refused = receivers.open()
    expect(await codeOf(subscribe(refused.url))).toBe(-32_602)
    expect(await codeOf(subscribe(refused.url.replace('http:', 'https:')))).toBe(-32_602)
    expect(refused.deliveries).toEqual([])
    await client.callTool('events_conformance_allow_callback_origin', { origin: receivers.origin })
    const { callback, id, end } = await open()
    await callback.next(DELIVERY_WAIT_MS)
    await sleep(3000)
    await end()
    const [challenge, ...events] = callback.deliveries
    expect(challenge?.kind).toBe('verification')
    expect(events.length).toBeGreaterThan(1)
    expect(callback.deliveries.map((delivery) => delivery.problem)).toEqual(
      callback.deliveries.map(() => undefined),
    )
    expect(callback.deliveries.every(({ subscriptionId }) => subscriptionId === id)).toBe(true)
  })

  it('has a wrong echo refused as challenge_failed, without the answer of the callback', async () => {
    const refused = open((callback) => callback.answerChallenges('wrong-challenge'))
    await expect(refused).rejects.toMatchObject({
      code: -32_015,
      data: { reason: 'challenge_failed' },
    })
    await expect(refused).rejects.not.toThrow('another challenge')
  })

  it('sees that a redirect is not followed', async () => {
    const target = receivers.open()
    const { callback, end } = await open((created) =>
      created.answerEvents({ redirect: target.url }),
    )
    expect((await callback.next(DELIVERY_WAIT_MS)).status).toBe(302)
    await sleep(3000)
    await end()
    expect(target.deliveries).toEqual([])
  })

  it('sees a retry after 503 within 5 seconds, at least one second later, at most 6 attempts', async () => {
    const { callback, end } = await open((created) =>
      created.answerEvents({ status: 503 }, { status: 503 }, 'accept'),
    )
    const { id } = await callback.next(DELIVERY_WAIT_MS)
    await sleep(SETTLE_MS)
    await end()
    const attempts = callback.deliveries.filter((delivery) => delivery.id === id)
    expect(attempts.length).toBeGreaterThan(1)
    expect(attempts.length).toBeLessThanOrEqual(6)
    const [one, two] = attempts.map(({ receivedAt, headers }) => ({
      receivedAt,
      timestamp: headers.get('webhook-timestamp'),
    }))
    expect(Number(two?.receivedAt) - Number(one?.receivedAt)).toBeGreaterThanOrEqual(1000)
    expect(two?.timestamp).not.toBe(one?.timestamp)
  })

  it.each([410, 413])('sees no second attempt after %i', async (status) => {
    const { callback, end } = await open((created) => created.answerEvents({ status }))
    const { id } = await callback.next(DELIVERY_WAIT_MS)
    await sleep(SETTLE_MS)
    await end()
    expect(callback.deliveries.filter((delivery) => delivery.id === id)).toHaveLength(1)
  })

  it('receives a gap and the end by the controls, within 5 seconds each', async () => {
    const { callback, id } = await open()
    for (const [control, type] of [
      ['webhook_gap', 'gap'],
      ['webhook_terminate', 'terminated'],
    ]) {
      await client.callTool(`events_conformance_${control}`, { id })
      const seen = () => callback.deliveries.some(({ kind }) => kind === type)
      await expect.poll(seen, { timeout: SETTLE_MS }).toBe(true)
    }
    const envelopes = callback.deliveries.filter(({ event }) => event === undefined)
    expect(envelopes.every((delivery) => /^msg_[a-z]+_.+/.test(delivery.id ?? ''))).toBe(true)
  })
})
