/** The event types of the fixture servers and their controls, as a client of a process sees them. */
// features: events
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEventSecret,
  type EventReceiver,
} from '../../../packages/testing/src/event-receiver.ts'
import type { TestClient } from '../../../packages/testing/src/test-client.ts'
import { type FixtureServer, startFixtureServer } from './fixture-server.ts'
import { openClient, signInAsOwner } from './http-client.ts'
import { type HttpReceivers, startHttpReceivers } from './http-receiver.ts'

const TICK_TIMEOUT_MS = 10_000

let receivers: HttpReceivers
let others: HttpReceivers
let server: FixtureServer
let client: TestClient

beforeAll(async () => {
  receivers = await startHttpReceivers()
  others = await startHttpReceivers()
  server = await startFixtureServer({ callbackOrigins: [receivers.origin], challenge: true })
  client = await openClient(server.url)
})

afterAll(async () => {
  await server?.stop()
  receivers?.stop()
  others?.stop()
})

async function emit(event: object, url = server.url) {
  const response = await fetch(new URL('/probe/emit', url), {
    method: 'POST',
    body: JSON.stringify(event),
  })
  return { status: response.status, body: await response.json() }
}

async function control(name: string, args: object = {}): Promise<string> {
  const { text, isError } = await client.callTool(`events_conformance_${name}`, args)
  expect([name, isError ?? false, text]).toEqual([name, false, expect.any(String)])
  return text
}

async function subscribe(callback: EventReceiver, type = 'probe.tick') {
  return client.events.subscribe(type, { callback, arguments: {} })
}

describe('the event types of the fixture server', () => {
  it('are listed in the order in which the conformance suite needs them', async () => {
    const types = await client.events.list()
    expect(types.map(({ name, delivery }) => [name, delivery.length])).toEqual([
      ['probe.tick', 3],
      ['probe.note', 3],
      ['probe.push', 1],
      ['probe.poll', 1],
      ['probe.plain', 3],
      ['probe.mine', 3],
    ])
    expect(types[0]?.inputSchema.properties).toMatchObject({ every: { type: 'integer' } })
  })

  it('tick each second while a poll has leased them, each nth time with `every`', async () => {
    const { cursor } = await client.events.poll('probe.tick')
    const ticks = async (every: number) => {
      const { events } = await client.events.poll('probe.tick', { arguments: { every }, cursor })
      return events.map(({ data }) => Number(data.n))
    }
    await expect.poll(async () => (await ticks(1)).length).toBeGreaterThanOrEqual(4)
    const [first = 0, second] = await ticks(1)
    expect(second).toBe(first + 1)
    expect((await ticks(2)).every((n) => n % 2 === 0)).toBe(true)
  })

  it('tick on a stream', async () => {
    const stream = await client.events.stream('probe.tick')
    const [one, two] = [await stream.next(TICK_TIMEOUT_MS), await stream.next(TICK_TIMEOUT_MS)]
    expect(Number(two.data.n)).toBe(Number(one.data.n) + 1)
    stream.close()
  })

  it('deliver what /probe/emit emits, a personal one to the principal of anonymous callers', async () => {
    const callback = receivers.open()
    await subscribe(callback, 'probe.note')
    await subscribe(callback, 'probe.mine')
    expect(await emit({ name: 'probe.mine', data: { text: 'a' }, subject: 'other' })).toMatchObject(
      {
        status: 200,
      },
    )
    const data = { topic: 'x', text: 'y' }
    const note = { name: 'probe.note', data, eventId: 'note-1' }
    expect(await emit(note)).toEqual({ status: 200, body: { eventId: 'note-1' } })
    expect((await callback.next()).event).toMatchObject({ eventId: 'note-1', data })
    await emit({ name: 'probe.mine', data: { text: 'b' }, subject: 'anonymous' })
    expect((await callback.next()).event?.data).toEqual({ text: 'b' })
  })

  it.each([
    [{ name: 'probe.unknown', data: {} }, 'unknown-type'],
    [{ name: 'probe.note', data: { text: 'no topic' } }, 'invalid-data'],
    [{ name: 'probe.mine', data: { text: 'no subject' } }, 'invalid-subject'],
    [{ name: 'probe.poll', data: { text: 'a' }, eventId: 'a.b' }, 'invalid-id'],
  ])('refuse %j with the reason %s', async (event, reason) => {
    expect(await emit(event)).toMatchObject({ status: 400, body: { reason } })
  })
})

describe('callbacks of the fixture server', () => {
  it('of an origin that is not allowed are refused without a connection', async () => {
    const callback = others.open()
    const https = { ...callback, url: callback.url.replace('http:', 'https:') }
    for (const { url } of [callback, https]) {
      const refused = client.events.subscribe('probe.tick', {
        callback: { url, secret: createEventSecret() },
      })
      await expect(refused).rejects.toMatchObject({ code: -32_602 })
    }
    expect(callback.deliveries).toEqual([])
  })

  it('of an allowed origin answer a challenge with --challenge, that of the conformance suite none', async () => {
    const callback = receivers.open()
    await subscribe(callback)
    expect(callback.deliveries[0]?.kind).toBe('verification')
    const url = `https://conformance.invalid/mcp-events/${crypto.randomUUID()}`
    const options = { callback: { url, secret: createEventSecret() }, arguments: {} }
    expect(await client.events.subscribe('probe.tick', options)).toMatchObject({
      id: expect.stringMatching(/^sub_/),
    })
    await client.events.unsubscribe('probe.tick', options)
    await client.events.unsubscribe('probe.tick', { callback, arguments: {} })
  })

  it('are retried after more than a second, and soon, with another timestamp', async () => {
    const callback = receivers.open()
    callback.answerEvents({ status: 503 }, 'accept')
    await subscribe(callback, 'probe.plain')
    await emit({ name: 'probe.plain', data: { text: 'a' } })
    const [first, second] = [await callback.next(), await callback.next(TICK_TIMEOUT_MS)]
    expect(second.id).toBe(first.id)
    expect(second.receivedAt - first.receivedAt).toBeGreaterThanOrEqual(1000)
    expect(second.receivedAt - first.receivedAt).toBeLessThan(TICK_TIMEOUT_MS)
  })
})

describe('the controls of the conformance suite', () => {
  it('make a stream report a fault and a gap, and end it', async () => {
    const stream = await client.events.stream('probe.push')
    await control('yield_error', { name: 'probe.push' })
    expect((await stream.nextMessage('error')).error).toMatchObject({ code: -32_603 })
    await control('yield_gap', { name: 'probe.push' })
    await stream.nextMessage('active')
    expect(await stream.nextMessage('active')).toMatchObject({ truncated: true })
    await control('terminate', { name: 'probe.push' })
    expect((await stream.nextMessage('terminated')).error).toBeDefined()
    expect((await stream.ended).result).toBeDefined()
  })

  it('send a gap to a subscription, and end it', async () => {
    const callback = receivers.open()
    const { id } = await subscribe(callback, 'probe.note')
    expect(await control('subscription_state', { id })).toBe('active')
    await control('webhook_gap', { id })
    expect((await callback.next()).envelope).toEqual({ type: 'gap', cursor: expect.any(String) })
    await control('webhook_terminate', { id })
    expect((await callback.next()).envelope).toMatchObject({ type: 'terminated' })
    expect(await control('subscription_state', { id })).toBe('absent')
  })

  it('subscribe another principal, whose subscription another one cannot end', async () => {
    const url = `https://conformance.invalid/mcp-events/${crypto.randomUUID()}`
    const tenant = { principal: 'bob', url, name: 'probe.note' }
    const id = await control('subscribe_as', tenant)
    const callback = { url, secret: createEventSecret() }
    const own = await client.events.subscribe('probe.note', { callback, arguments: {} })
    expect(own.id).not.toBe(id)
    await client.events.unsubscribe('probe.note', { callback, arguments: {} })
    expect(await control('subscription_exists', tenant)).toBe('true')
    expect(await control('subscription_exists', { ...tenant, principal: 'eve' })).toBe('false')
  })

  it('allow the callbacks of an origin', async () => {
    await control('allow_callback_origin', { origin: others.origin })
    const callback = others.open()
    await subscribe(callback, 'probe.plain')
    await emit({ name: 'probe.plain', data: { text: 'a' } })
    expect((await callback.next()).event?.data).toEqual({ text: 'a' })
  })

  it.each([
    ['terminate', { name: 'probe.none' }, 'There is no event type "probe.none"'],
    ['yield_gap', { name: 'probe.mine' }, 'needs the subject of its person'],
    ['webhook_gap', { id: 'sub_none' }, 'There is no subscription sub_none'],
    [
      'subscribe_as',
      { principal: 'bob', url: 'http://example.com', name: 'probe.note' },
      'https URL',
    ],
  ])('say why %s cannot be done', async (name, args, reason) => {
    const { text, isError } = await client.callTool(`events_conformance_${name}`, args)
    expect([isError, text]).toEqual([true, expect.stringContaining(reason)])
  })

  it('restart the objects, which keep their subscriptions', async () => {
    const callback = receivers.open()
    const { id } = await subscribe(callback)
    const before = Number(await control('generation'))
    expect(Number(await control('restart'))).toBe(before + 1)
    expect(Number(await control('generation'))).toBe(before + 1)
    expect(await control('subscription_state', { id })).toBe('active')
    const { length } = callback.events
    await expect.poll(() => callback.events.length).toBeGreaterThan(length + 1)
    expect(JSON.parse(await control('quota'))).toEqual({ name: 'probe.push', max: 100 })
  })
})

it('probe.tick goes on for a subscription when the process is killed', async () => {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-events-'))
  try {
    const options = { state, callbackOrigins: [receivers.origin] }
    const before = await startFixtureServer(options)
    const callback = receivers.open()
    const first = await openClient(before.url)
    await first.events.subscribe('probe.tick', { callback, arguments: {} })
    await callback.next(TICK_TIMEOUT_MS)
    process.kill(before.pid, 'SIGKILL')
    await before.exited
    const after = await startFixtureServer(options)
    const { length } = callback.events
    await expect.poll(() => callback.events.length).toBeGreaterThan(length + 1)
    await after.stop()
    expect(callback.deliveries.every(({ kind }) => kind === 'event')).toBe(true)
  } finally {
    await rm(state, { recursive: true, force: true })
  }
})

it('the fixture server with --short has lifetimes of seconds', async () => {
  const short = await startFixtureServer({ short: true, callbackOrigins: [receivers.origin] })
  const briefly = await openClient(short.url)
  const grant = async (ttlMs?: number) => {
    const options = { callback: receivers.open(), ...(ttlMs !== undefined && { ttlMs }) }
    const { refreshBefore } = await briefly.events.subscribe('probe.note', options)
    return Math.round((Date.parse(String(refreshBefore)) - Date.now()) / 1000)
  }
  expect([await grant(), await grant(1)]).toEqual([10, 2])
  await short.stop()
})

it('the protected server lists and serves probe.write for a token with the scope write', async () => {
  const guarded = await startFixtureServer({ protected: true })
  const sign = async (scopes: readonly string[]) =>
    openClient(guarded.url, await signInAsOwner(guarded.url, scopes))
  const [reader, writer] = [await sign(['read']), await sign(['read', 'write'])]
  const names = (await writer.events.list()).map(({ name }) => name)
  expect(names.at(-1)).toBe('probe.write')
  await expect(reader.events.poll('probe.write')).rejects.toMatchObject({
    scopes: ['read', 'write'],
  })
  const { cursor } = await writer.events.poll('probe.write')
  const mine = await writer.events.poll('probe.mine')
  await emit({ name: 'probe.write', data: { text: 'a' } }, guarded.url)
  await emit({ name: 'probe.mine', data: { text: 'b' }, subject: 'owner' }, guarded.url)
  await emit({ name: 'probe.mine', data: { text: 'c' }, subject: 'guest' }, guarded.url)
  const written = await writer.events.poll('probe.write', { cursor })
  const own = await reader.events.poll('probe.mine', { cursor: mine.cursor })
  expect([written, own].map(({ events }) => events.map(({ data }) => data.text))).toEqual([
    ['a'],
    ['b'],
  ])
  await guarded.stop()
})
