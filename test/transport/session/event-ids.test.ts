import { describe, expect, it } from 'vitest'
import { read } from '../../support/door.ts'
import { createLatch } from '../../support/latch.ts'
import { openSession, openSessionDoor } from '../../support/session-client.ts'
import type { SseEvent, SseReader } from '../../support/sse-reader.ts'

async function eventsOf(stream: SseReader): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  for (;;) {
    const event = await stream.next()
    if (event === undefined) return events
    events.push(event)
  }
}

const session = await openSession()
const call = await session.stream(async ({ log }) => {
  await log('info', 'first')
  await log('info', 'second')
  return 'done'
})
const events = await eventsOf(call)
const [priming = '', first = '', second = '', last = ''] = call.ids

const other = await openSession({}, session.door)
const foreign = await other.stream(async ({ log }) => {
  await log('info', 'theirs')
  return 'done'
})
await foreign.rest()
const seal = last.slice(0, last.lastIndexOf('~'))

describe('the events of a stream', () => {
  it('are a comment, a priming event with a delay, and messages with their ids', () => {
    expect(events.map(({ id: _, ...event }) => event)).toEqual([
      { comment: 'open' },
      { retry: '1000', data: '' },
      {
        event: 'message',
        data: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}',
      },
      {
        event: 'message',
        data: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"second"}}',
      },
      {
        event: 'message',
        data: '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}',
      },
    ])
  })

  it('have ids of one stream each, numbered, from a safe alphabet', async () => {
    expect([priming, first, second, last]).toEqual([0, 1, 2, 3].map((seq) => `${seal}~${seq}`))
    expect(seal).toMatch(/^[A-Za-z0-9_.-]+$/)
    const again = await session.stream(async ({ log }) => {
      await log('info', 'another')
      return 'done'
    })
    await again.rest()
    const seals = [call, again, foreign].map(({ lastId }) => lastId.split('~')[0])
    expect(new Set(seals).size).toBe(3)
  })

  it.each(['2025-03-26', '2025-06-18'])('are not primed under %s', async (version) => {
    const client = await openSession({ version })
    const stream = await client.stream(async ({ log }) => {
      await log('info', 'first')
      return 'done'
    })
    const [opening, message, result, ...rest] = await eventsOf(stream)
    expect(opening).toEqual({ comment: 'open' })
    for (const event of [message, result]) {
      expect(Object.keys(event ?? {})).toEqual(['id', 'event', 'data'])
    }
    expect(rest).toEqual([])
    const idle = await client.listen()
    expect(await idle.next()).toEqual({ comment: 'open' })
    expect(await idle.next()).toEqual({ comment: 'keepalive' })
    await idle.leave()
  })

  it('tell a client to wait as long as the server says', async () => {
    const client = await openSession({}, openSessionDoor({ limits: { retryMs: 250 } }))
    const idle = await client.listen()
    await idle.next()
    expect(await idle.next()).toEqual({ id: expect.any(String), retry: '250', data: '' })
  })
})

const MALFORMED = {
  code: -32600,
  message: 'Last-Event-ID is not an event id of this session. Open the stream without it',
}

describe('a Last-Event-ID', () => {
  it.each([
    ['made up', '42'],
    ['of another server', 'a3f1c9d2-6b1f-4a53-9d5e-2f0c6b7a8e91_7'],
    ['a number alone', '~1'],
    ['a seal alone', seal],
    ['a seal without its number', `${seal}~`],
    ['negative', `${seal}~-1`],
    ['fractional', `${seal}~1.5`],
    ['in another notation', `${seal}~1e0`],
    ['padded', `${seal}~01`],
    ['not finite', `${seal}~Infinity`],
    ['beyond all numbers', `${seal}~1000000000000000`],
    ['of 2 KB', `${seal}${'A'.repeat(2048)}~1`],
    ['truncated', `${seal.slice(0, -1)}~1`],
    ['changed', `${seal.slice(0, -2)}${seal.at(-2) === 'A' ? 'B' : 'A'}${seal.slice(-1)}~1`],
    ['the id of the session', `${session.id}~1`],
    ['twice', `${first}, ${first}`],
    ["of another session's stream", foreign.ids[1] ?? ''],
    ["of another session's stream, primed", foreign.ids[0] ?? ''],
  ])('that is %s is refused', async (_, lastEventId) => {
    const { status, body } = await read(await session.get(lastEventId))
    expect([status, body]).toEqual([400, { jsonrpc: '2.0', error: MALFORMED }])
  })

  it.each([4, 5, 1000, 999_999_999_999_999])('of the future (%i) is refused', async (seq) => {
    const { status, body } = await read(await session.get(`${seal}~${seq}`))
    const message =
      'Last-Event-ID names an event that does not exist yet. Open the stream without it'
    expect([status, body.error]).toEqual([400, { code: -32600, message }])
  })

  it('that is empty opens a new stream', async () => {
    const idle = await session.listen('')
    await idle.next()
    await idle.next()
    expect(idle.lastId).toMatch(/~0$/)
    expect(idle.lastId.startsWith(seal)).toBe(false)
    await idle.leave()
  })

  it('is of its own session for its own session alone', async () => {
    expect((await read(await other.get(last))).body.error).toEqual(MALFORMED)
    expect(await (await other.listen(foreign.ids[0])).rest()).toHaveLength(2)
  })

  it('of a stream that had more events than are kept is refused where some are gone', async () => {
    const { wait, open } = createLatch()
    const long = await session.stream(
      async ({ progress, signal }) => {
        await progress(1)
        await wait(signal)
        for (let step = 2; step <= 1100; step++) await progress(step)
        return 'done'
      },
      { progressToken: 'p' },
    )
    expect((await long.message()).params.progress).toBe(1)
    open()
    expect(await long.rest()).toHaveLength(1100)
    const { status, body } = await read(await session.get(long.ids[1]))
    const message =
      'The events after Last-Event-ID are no longer stored. Open the stream without it'
    expect([status, body.error]).toEqual([410, { code: -32600, message }])
    const end = await (await session.listen(long.ids[1000])).rest()
    expect(end).toHaveLength(101)
    expect(end.at(-1)).toHaveProperty('result')
  })
})

describe('a call that says more than is kept before anybody reads', () => {
  it('has its answer all the same', async () => {
    const flood = await session.stream(
      async ({ progress }) => {
        for (let step = 1; step <= 1100; step++) await progress(step)
        return 'done'
      },
      { progressToken: 'p' },
    )
    expect((await flood.rest()).at(-1)).toHaveProperty('result')
  })
})
