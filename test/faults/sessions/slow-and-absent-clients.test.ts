/**
 * Clients that read slowly, stop reading, disconnect, or never reconnect. Their calls continue, a client
 * that resumes loses nothing, and other clients are not affected.
 */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { HttpSseSession } from './http-sse-session.ts'
import { leastGrowth, residentMegabytes } from './memory.ts'
import { brief, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session, toolCall } from './session.ts'

const BYTES = 8_388_608
const RUNS = 'reads-only-runs'
const STREAM = 'text/event-stream'
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Requests a large answer, and reads only its beginning. */
async function requestLarge(url: string) {
  const session = await openSession(url, { accept: STREAM })
  const events = await session.stream('big', { bytes: BYTES })
  await events.primed()
  events.pause()
  return { session, events }
}

const lengths = ({ messages }: EventReader) =>
  messages.map(({ result }) => result?.content?.[0]?.text.length)

/** Sends a call and disconnects before the answer begins. */
async function callAndDisconnect(session: Session, name: string, args: object): Promise<void> {
  const body = JSON.stringify(toolCall(name, args, session.nextId()))
  const { headers } = session
  const leaving = request(session.url, { method: 'POST', headers, agent: false })
  // The error of the destroyed request is expected.
  leaving.on('error', () => undefined)
  await new Promise<void>((resolve) => leaving.end(body, resolve))
  await delay(50)
  leaving.destroy()
}

describe.concurrent('a slow reader', () => {
  it('loses its connection and no event when it pauses for too long', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const other = await openSession(server.url)
    const before = await residentMegabytes(server.pid)
    const large = await Promise.all(upTo(3).map(() => requestLarge(server.url)))
    const session = await openSession(server.url)
    const many = await session.stream('progress', { count: 1000, gapMs: 0 })
    await many.primed()
    many.pause()
    // The limit is 30 s, and is checked every few seconds.
    const until = Date.now() + 40_000
    let slowest = 0
    while (Date.now() < until) {
      await delay(500)
      const began = Date.now()
      expect((await other.request('ping')).result).toEqual({})
      slowest = Math.max(slowest, Date.now() - began)
    }
    // A server that waited for the slow reader would answer only after the limit of 30 s.
    expect(slowest).toBeLessThan(25_000)
    // Each answer is in memory several times: as text, as bytes, and in buffers.
    expect((await residentMegabytes(server.pid)) - before).toBeLessThan(300)

    const results = large.map(async ({ session, events }) => {
      events.resume()
      await events.rest()
      const again = await session.listen(events.lastId)
      await again.rest()
      return [lengths(events), lengths(again)]
    })
    expect(await Promise.all(results)).toEqual(upTo(3).map(() => [[], [BYTES]]))
    many.resume()
    await many.rest()
    expect([...many.messages, ...(await session.rest(many.lastId))].map(brief)).toEqual([
      ...upTo(1000).map((n) => `progress ${n}`),
      'result 1 done',
    ])
  })

  it('receives the changes that were published while it was behind', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const old = await HttpSseSession.open(server.url)
    const other = await openSession(server.url)
    const uri = 'probe://item/behind'
    await old.post({ jsonrpc: '2.0', id: 's', method: 'resources/subscribe', params: { uri } })
    await old.events.message(1)
    old.events.pause()
    const ids = [
      await old.call('big', { bytes: BYTES }),
      await old.call('big', { bytes: BYTES }),
      await old.call('big', { bytes: 1000 }),
    ]
    // A test cannot see when the socket buffers are full. Too short a delay would weaken this test.
    await delay(1000)
    for (const _ of upTo(3)) await other.call('touch_resource', { uri })
    old.events.resume()
    await expect
      .poll(() => old.events.messages.map(({ id }) => id), POLL)
      .toEqual(expect.arrayContaining(ids))
    await other.call('touch_resource', { uri })
    const updates = () => old.events.messages.filter(({ params }) => params?.uri === uri).length
    await expect.poll(updates, POLL).toBe(4)
  })

  it('receives new changes after more of them than a log holds, within a bounded memory', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const session = await openSession(server.url)
    const batching = await openSession(server.url, { version: '2025-03-26' })
    const uri = `probe://item/${'x'.repeat(8000)}`
    const marker = 'probe://item/marker'
    for (const each of [uri, marker]) await session.request('resources/subscribe', { uri: each })
    const events = await session.listen()
    await events.primed()
    events.pause()
    const touchMany = async (times: number) => {
      const calls = upTo(times).map(() => toolCall('touch_resource', { uri }, batching.nextId()))
      const { message, events: stream } = await batching.post(calls)
      expect(message ?? (await stream?.rest())).toHaveLength(times)
    }
    // First more than the socket buffers hold, until the memory is stable, then 20 MB in each round.
    for (const _ of upTo(25)) await touchMany(50)
    const growth = await leastGrowth(server.pid, 12, async () => {
      for (const _ of upTo(50)) await touchMany(50)
    })
    expect(growth).toBeLessThan(12)
    events.resume()
    await batching.call('touch_resource', { uri: marker })
    const { all, hasNewStream } = await followUntil(session, events, marker)
    // The client learns of pruned changes: by a new stream or by a change of every list.
    const isReported =
      hasNewStream || all.some(({ method }) => method?.endsWith('tools/list_changed'))
    expect(isReported).toBe(true)
  })
})

/** Reads a stream over all its connections until a change of a resource. */
async function followUntil(session: Session, first: EventReader, uri: string) {
  const all: Message[] = []
  const ids: string[] = []
  let hasNewStream = false
  for (let events = first; ; ) {
    const hasChange = () => events.messages.some(({ params }) => params?.uri === uri)
    await events.until(() => hasChange() || events.ended, 'the change, or the end')
    all.push(...events.messages)
    ids.push(...events.ids)
    if (hasChange()) break
    const resumed = await session.get(events.lastId)
    // A client that is refused because its position was pruned opens a new stream.
    if (typeof resumed === 'number') {
      expect(resumed).toBe(410)
      hasNewStream = true
    }
    events = typeof resumed === 'number' ? await session.listen() : resumed
  }
  expect(new Set(ids).size).toBe(ids.length)
  return { all, hasNewStream }
}

describe.concurrent('a client that disconnects before its answer begins', () => {
  it.for([
    ['application/json', 500],
    ['text/event-stream', 500],
  ] as const)(
    'finds its call completed (%s, %i ms)',
    async ([accept, ms], { expect, onTestFinished }) => {
      const server = await PersistentServer.start(onTestFinished)
      const session = await openSession(server.url, { accept })
      await callAndDisconnect(session, 'reads_only', { ms })
      expect((await session.request('ping')).result).toEqual({})
      await expect.poll(() => session.readCount(RUNS), POLL).toBe(1)
      // Its request id is free again.
      expect(await session.value('reads_only', { ms: 0 })).toBe(2)
    },
  )
})
