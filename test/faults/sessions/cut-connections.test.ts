/**
 * Connections that are cut after every byte of a stream. A client that resumes from its last complete
 * event receives all other events once and in order.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import { SseParser } from '../../support/sse-parser.ts'
import { readAndCut, readUntil } from './cut-reader.ts'
import type { EventReader } from './event-reader.ts'
import { brief, type Message } from './message.ts'
import { openSession, type Session, toolCall } from './session.ts'

const LANES = 8
const EVERYTHING = 1_000_000
const EXPECTED = ['progress 1', 'progress 2', 'progress 3', 'result done']

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(() => server.stop())

function requestText(method: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.byteLength(body)
  return `${method} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}Content-Length: ${length}\r\n\r\n${body}`
}

/** Parses the bytes as a client does. */
function parse(body: Buffer, since?: string) {
  const parser = new SseParser(since)
  const messages = parser
    .push(body)
    .flatMap(({ data = '' }): Message[] => (data === '' ? [] : [JSON.parse(data)]))
  return { messages, lastId: parser.lastId }
}

const summariesOf = (messages: readonly Message[]) =>
  messages.map((message) => brief(message).replace(/^result \d+/, 'result'))

/** Cuts once after every number of bytes up to a length, by several clients concurrently. */
async function everyByte<T>(
  length: number,
  open: (lane: number) => Promise<T>,
  cut: (own: T, count: number, how: 'fin' | 'reset') => Promise<void>,
): Promise<void> {
  let next = 0
  const run = async (_: unknown, lane: number) => {
    const own = await open(lane)
    while (next <= length) {
      const count = next++
      await cut(own, count, count % 2 === 0 ? 'fin' : 'reset')
    }
  }
  await Promise.all(Array.from({ length: LANES }, run))
}

describe('the stream of a call', () => {
  const call = (session: Session, gapMs: number) =>
    requestText(
      'POST',
      session.headers,
      JSON.stringify(toolCall('progress', { count: 3, gapMs }, session.nextId())),
    )

  it.each([
    ['2025-11-25', 3],
    ['2025-06-18', 0],
  ])(
    'can be resumed without loss after a cut at any byte (%s, %i ms between events)',
    async (version, gapMs) => {
      const session = await openSession(server.url, { version })
      // A long request id, so that no other call has a longer body.
      while (session.nextId() < 1000);
      const whole = await readAndCut(server.url, call(session, gapMs), EVERYTHING, 'fin')
      expect(summariesOf(parse(whole).messages)).toEqual(EXPECTED)
      let resumed = 0
      const open = () => openSession(server.url, { version })
      await everyByte(whole.length, open, async (own, count, how) => {
        const body = await readAndCut(server.url, call(own, gapMs), count, how)
        const { messages, lastId } = parse(body)
        if (lastId === '') {
          // Without an event id there is nothing to resume from, and no event was received.
          expect(messages).toEqual([])
          return
        }
        resumed++
        expect(summariesOf([...messages, ...(await own.rest(lastId))])).toEqual(EXPECTED)
      })
      expect(resumed).toBeGreaterThan(whole.length / 2)
    },
  )
})

describe('a standalone stream', () => {
  const urisOf = (lane: number) => ['one', 'two', 'six'].map((n) => `probe://item/${lane}-${n}`)

  /** Opens a session whose stream has three events on resources of its own. */
  async function openUpdated(lane: number) {
    const uris = urisOf(lane)
    const session = await openSession(server.url)
    for (const uri of uris) await session.request('resources/subscribe', { uri })
    const events = await session.listen()
    await events.primed()
    const start = events.lastId
    for (const uri of uris) await session.call('touch_resource', { uri })
    await events.message(uris.length - 1)
    events.close()
    const expected = uris.map((uri) => `updated ${uri}`)
    expect(summariesOf(events.messages)).toEqual(expected)
    return { session, expected, get: requestText('GET', session.getHeaders(start)), start }
  }

  it('can be resumed without loss after a cut at any byte of a replay', async () => {
    const first = await openUpdated(LANES)
    // The stream does not end: it is read up to its last event.
    const text = await readUntil(server.url, first.get, `${LANES}-six"}}\n\n`)
    await everyByte(text.length, openUpdated, async (own, count, how) => {
      const { session, expected } = own
      const body = await readAndCut(server.url, own.get, count, how)
      const { messages, lastId } = parse(body, own.start)
      const events = await session.listen(lastId)
      const missing = expected.length - messages.length
      await events.until(() => events.messages.length >= missing, `${missing} events`)
      expect(summariesOf([...messages, ...events.messages])).toEqual(expected)
      events.close()
    })
  })
})

describe('a client that loses its connection repeatedly', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

  /** Reads a stream to a number of events, a few on each connection. */
  async function followInPieces(session: Session, first: EventReader, count: number) {
    const all: Message[] = []
    const ids: string[] = []
    for (let events = first, piece = 1; ; piece++) {
      const wanted = Math.min(piece % 7, count - all.length)
      await events.until(() => events.messages.length >= wanted, `${wanted} events`)
      events.close()
      all.push(...events.messages)
      ids.push(...events.ids)
      if (all.length >= count) return { all, ids }
      events = await session.listen(events.lastId)
    }
  }

  it('receives every event of a call once', async () => {
    const session = await openSession(server.url)
    const first = await session.stream('progress', { count: 300, gapMs: 2 })
    await first.primed()
    const { all, ids } = await followInPieces(session, first, 301)
    expect(all.map(brief)).toEqual([...upTo(300).map((n) => `progress ${n}`), 'result 1 done'])
    expect(new Set(ids).size).toBe(301)
  })

  it('receives every change once', async () => {
    const uris = upTo(200).map((n) => `probe://item/churn-${n}`)
    const [session, other] = [await openSession(server.url), await openSession(server.url)]
    for (const uri of uris) await session.request('resources/subscribe', { uri })
    const first = await session.listen()
    await first.primed()
    const publishing = (async () => {
      for (const uri of uris) await other.call('touch_resource', { uri })
    })()
    const [{ all, ids }] = await Promise.all([
      followInPieces(session, first, uris.length),
      publishing,
    ])
    expect(all.map(brief)).toEqual(uris.map((uri) => `updated ${uri}`))
    expect(new Set(ids).size).toBe(uris.length)
  })
})
