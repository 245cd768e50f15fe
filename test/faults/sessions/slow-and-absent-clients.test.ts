/**
 * Clients that read slowly, stop reading, leave, or never come back. The work goes on, nothing is lost
 * for whoever comes back, and nobody else notices.
 */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { PATIENT } from './bounded.ts'
import type { EventReader } from './event-reader.ts'
import { HttpSseSession } from './http-sse-session.ts'
import { KeptServer } from './kept-server.ts'
import { residentMegabytes } from './memory.ts'
import { brief, type Message } from './message.ts'
import { moment } from './moment.ts'
import { openSession, type Session, toolCall } from './session.ts'

const BYTES = 8_388_608
const RUNS = 'reads-only-runs'
const STREAM = 'text/event-stream'
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Asks for a large answer, and reads no more than its beginning. */
async function askForLarge(url: string) {
  const session = await openSession(url, { accept: STREAM })
  const events = await session.stream('big', { bytes: BYTES })
  await events.primed()
  events.pause()
  return { session, events }
}

const lengths = ({ messages }: EventReader) =>
  messages.map(({ result }) => result?.content?.[0]?.text.length)

/** Sends a call and leaves, without having seen anything of the answer. */
async function callAndLeave(session: Session, name: string, args: object): Promise<void> {
  const body = JSON.stringify(toolCall(name, args, session.nextId()))
  const { headers } = session
  const leaving = request(session.url, { method: 'POST', headers, agent: false })
  // That it is cut off is what it is for.
  leaving.on('error', () => undefined)
  await new Promise<void>((resolve) => leaving.end(body, resolve))
  await moment(50)
  leaving.destroy()
}

describe.concurrent('a slow reader', () => {
  it('that pauses no longer than it may gets all on one connection', async ({ onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
    const { events } = await askForLarge(server.url)
    for (const _ of upTo(4)) {
      await moment(2000)
      const had = events.bytes
      events.goOn()
      await events.until(() => events.bytes > had + 500_000, 'some more of it')
      events.pause()
    }
    events.goOn()
    await events.rest()
    expect(lengths(events)).toEqual([BYTES])
  })

  it('that pauses for too long loses its connection, and nothing else', async ({
    onTestFinished,
  }) => {
    const server = await KeptServer.start(onTestFinished)
    const other = await openSession(server.url)
    const before = await residentMegabytes(server.pid)
    const large = await Promise.all(upTo(3).map(() => askForLarge(server.url)))
    const session = await openSession(server.url)
    const many = await session.stream('progress', { count: 1000, gapMs: 0 })
    await many.primed()
    many.pause()
    // The limit is 30 s, and is looked at every few seconds.
    const until = Date.now() + 40_000
    let slowest = 0
    while (Date.now() < until) {
      await moment(500)
      const began = Date.now()
      expect((await other.request('ping')).result).toEqual({})
      slowest = Math.max(slowest, Date.now() - began)
    }
    expect(slowest).toBeLessThan(5000)
    // Each answer is there a few times over: as text, as bytes, and on its way.
    expect((await residentMegabytes(server.pid)) - before).toBeLessThan(300)

    const results = large.map(async ({ session, events }) => {
      events.goOn()
      await events.rest()
      const again = await session.listen(events.lastId)
      await again.rest()
      return [lengths(events), lengths(again)]
    })
    expect(await Promise.all(results)).toEqual(upTo(3).map(() => [[], [BYTES]]))
    many.goOn()
    await many.rest()
    const again = await session.listen(many.lastId)
    expect([...many.messages, ...(await again.rest())].map(brief)).toEqual([
      ...upTo(1000).map((n) => `progress ${n}`),
      'result 1 done',
    ])
  })

  it('hears of what changed while it was behind', async ({ expect, onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
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
    // Nobody sees from outside when the sockets are full: were it too early, this would prove less.
    await moment(1000)
    for (const _ of upTo(3)) await other.call('touch_resource', { uri })
    old.events.goOn()
    await expect
      .poll(() => old.events.messages.map(({ id }) => id), PATIENT)
      .toEqual(expect.arrayContaining(ids))
    await other.call('touch_resource', { uri })
    const updates = () => old.events.messages.filter(({ params }) => params?.uri === uri).length
    await expect.poll(updates, PATIENT).toBe(4)
  })

  it('of more news than is kept holds no more than that, and hears what is new', async ({
    onTestFinished,
  }) => {
    const server = await KeptServer.start(onTestFinished)
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
    // First more than sockets hold, until the server has all that it needs, and then 14 MB more.
    for (const _ of upTo(25)) await touchMany(50)
    const before = await residentMegabytes(server.pid)
    for (const _ of upTo(35)) await touchMany(50)
    expect((await residentMegabytes(server.pid)) - before).toBeLessThan(12)
    events.goOn()
    await batching.call('touch_resource', { uri: marker })
    const { all, beganAnew } = await followUntil(session, events, marker)
    const updates = all.filter(({ params }) => params?.uri === uri).length
    // What was dropped is told, as a change of everything: nobody misses a part without knowing.
    const isTold = beganAnew || all.some(({ method }) => method?.endsWith('tools/list_changed'))
    expect(updates === 60 * 50 || isTold).toBe(true)
  })
})

/** Follows a stream as a client does, over all its connections, until it has heard of a resource. */
async function followUntil(session: Session, first: EventReader, uri: string) {
  const all: Message[] = []
  const ids: string[] = []
  let beganAnew = false
  for (let events = first; ; ) {
    const hasHeard = () => events.messages.some(({ params }) => params?.uri === uri)
    await events.until(() => hasHeard() || events.ended, 'news, or the end')
    all.push(...events.messages)
    ids.push(...events.ids)
    if (hasHeard()) break
    const resumed = await session.get(events.lastId)
    // Told that it was away for too long, it begins anew.
    if (typeof resumed === 'number') {
      expect(resumed).toBe(410)
      beganAnew = true
    }
    events = typeof resumed === 'number' ? await session.listen() : resumed
  }
  expect(new Set(ids).size).toBe(ids.length)
  return { all, beganAnew }
}

describe.concurrent('a client that leaves before its answer begins', () => {
  it.for([
    ['application/json', 500],
    ['application/json', 14_000],
    ['application/json, text/event-stream', 500],
    ['application/json, text/event-stream', 14_000],
    ['text/event-stream', 500],
  ] as const)(
    'finds its work done (%s, %i ms)',
    async ([accept, ms], { expect, onTestFinished }) => {
      const server = await KeptServer.start(onTestFinished)
      const session = await openSession(server.url, { accept })
      await callAndLeave(session, 'reads_only', { ms })
      expect((await session.request('ping')).result).toEqual({})
      await expect.poll(() => session.readCount(RUNS), PATIENT).toBe(1)
      // Its id is free again.
      expect(await session.value('reads_only', { ms: 0 })).toBe(2)
    },
  )

  it('cannot use the id of what is still running', async ({ expect, onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
    const session = await openSession(server.url)
    await callAndLeave(session, 'slow', { ms: 2000 })
    const { status, message } = await session.call('echo', { text: 'x' }, 1)
    expect([status, message?.error?.code]).toEqual([400, -32600])
    const echo = async () => (await session.call('echo', { text: 'x' }, 1)).status
    await expect.poll(echo, PATIENT).toBe(200)
  })
})

describe.concurrent('a client that reads JSON only', () => {
  it('waits for its answer', async ({ onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
    const session = await openSession(server.url, { accept: 'application/json' })
    const [slow, many, quick] = await Promise.all([
      session.call('slow', { ms: 1500 }),
      session.call('progress', { count: 50, gapMs: 10 }),
      session.call('echo', { text: 'quick' }),
    ])
    expect([slow, many, quick].map(({ message }) => message && brief(message))).toEqual([
      'result 1 done',
      'result 2 done',
      'result 3 quick',
    ])
  })

  it('is told at once where it would have to be asked', async ({ onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
    const session = await openSession(server.url, { accept: 'application/json' })
    const { message } = await session.call('ask_two')
    expect(message && brief(message)).toBe(
      'failed 1 Asking is not possible here: this connection carries no ques',
    )
  })

  it('sees its connection break when the server is killed, and goes on afterwards', async ({
    onTestFinished,
  }) => {
    const server = await KeptServer.start(onTestFinished)
    const session = await openSession(server.url, { accept: 'application/json' })
    const call = session.call('slow', { ms: 60_000 })
    const broken = expect(call).rejects.toThrow()
    await moment(300)
    session.url = await server.restart()
    await broken
    expect((await session.call('echo', { text: 'x' }, 1)).status).toBe(200)
  })
})

it.concurrent('work that was cut off is found by an alarm, where nobody comes back', async ({
  expect,
  onTestFinished,
}) => {
  const server = await KeptServer.start(onTestFinished)
  const session = await openSession(server.url)
  const events = await session.stream('reads_only', { ms: 1000 })
  await events.primed()
  const other = await openSession(server.url)
  other.url = await server.restart()
  await expect.poll(() => other.readCount(RUNS), PATIENT).toBe(1)
  session.url = other.url
  const resumed = await (await session.listen(events.lastId)).rest()
  expect(resumed.map(({ result }) => result?.structuredContent)).toEqual([{ value: 1 }])
  expect(await other.readCount(RUNS)).toBe(1)
})
