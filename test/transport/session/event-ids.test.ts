import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, openSessionApp } from '../../support/session-client.ts'
import type { SseEvent, SseReader } from '../../support/sse-reader.ts'
import { read } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

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

const other = await openSession({}, session.app)
const foreign = await other.stream(async ({ log }) => {
  await log('info', 'theirs')
  return 'done'
})
await foreign.rest()
const seal = last.slice(0, last.lastIndexOf('~'))

describe('the events of a stream', () => {
  it('are a comment, a priming event with a retry delay, and messages with ids', () => {
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

  it('have numbered ids from a safe alphabet that differ per stream', async () => {
    verifies('streamable-http/event-ids-are-unique')
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

  it.each(['2025-03-26', '2025-06-18'])('contain no priming event under %s', async (version) => {
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

  it('contain the configured retry delay', async () => {
    const client = await openSession(
      {},
      openSessionApp({ featureLimits: { sessions: { retryMs: 250 } } }),
    )
    const idle = await client.listen()
    await idle.next()
    expect(await idle.next()).toEqual({ id: expect.any(String), retry: '250', data: '' })
  })
})

const INVALID = {
  code: -32600,
  message:
    'Last-Event-ID is not an event id of this session. Open the stream without it [event-id-invalid]',
}

describe('Last-Event-ID', () => {
  it.each([
    ['a number', '42'],
    ['the id of another server', 'a3f1c9d2-6b1f-4a53-9d5e-2f0c6b7a8e91_7'],
    ['a number without a seal', '~1'],
    ['a seal without a number', seal],
    ['a seal with an empty number', `${seal}~`],
    ['a seal with a negative number', `${seal}~-1`],
    ['a seal with a fraction', `${seal}~1.5`],
    ['a seal with an exponent', `${seal}~1e0`],
    ['a seal with a padded number', `${seal}~01`],
    ['a seal with Infinity', `${seal}~Infinity`],
    ['a seal with a number of 16 digits', `${seal}~1000000000000000`],
    ['an id of 2 KB', `${seal}${'A'.repeat(2048)}~1`],
    ['a truncated seal', `${seal.slice(0, -1)}~1`],
    ['a changed seal', `${seal.slice(0, -2)}${seal.at(-2) === 'A' ? 'B' : 'A'}${seal.slice(-1)}~1`],
    ['the session id with a number', `${session.id}~1`],
    ['a repeated id', `${first}, ${first}`],
    ['an id of another session', foreign.ids[1] ?? ''],
    ['the priming id of another session', foreign.ids[0] ?? ''],
  ])('is refused with 400 when it is %s', async (_, lastEventId) => {
    const { status, body } = await read(await session.get(lastEventId))
    expect([status, body]).toEqual([400, { jsonrpc: '2.0', error: INVALID }])
  })

  it.each([4, 5, 1000, 999_999_999_999_999])(
    'is refused with 400 when its number is ahead of the stream: %i',
    async (seq) => {
      const { status, body } = await read(await session.get(`${seal}~${seq}`))
      const message =
        'Last-Event-ID names no event yet. Open the stream without it [event-id-ahead]'
      expect([status, body.error]).toEqual([400, { code: -32600, message }])
    },
  )

  it('opens a new stream when it is empty', async () => {
    const idle = await session.listen('')
    await idle.next()
    await idle.next()
    expect(idle.lastId).toMatch(/~0$/)
    expect(idle.lastId.startsWith(seal)).toBe(false)
    await idle.leave()
  })

  it('is valid only in its own session', async () => {
    verifies('streamable-http/event-ids-are-unique')
    expect((await read(await other.get(last))).body.error).toEqual(INVALID)
    expect(await (await other.listen(foreign.ids[0])).rest()).toHaveLength(2)
  })

  it('is refused with 410 when events after it were pruned from the log', async () => {
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
    const message = 'Events after Last-Event-ID are pruned. Open a new stream [event-id-pruned]'
    expect([status, body.error]).toEqual([410, { code: -32600, message }])
    const end = await (await session.listen(long.ids[1000])).rest()
    expect(end).toHaveLength(101)
    expect(end.at(-1)).toHaveProperty('result')
  })
})

describe('a call that sends more events than its log keeps before its client reads', () => {
  it('delivers its response', async () => {
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
