/** Streams that read a log: what they get when they begin, and while they are open. */
// features: events
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { DAY_MS, NOON, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import type { FeedOptions, LogFeed, LogStart } from '../../src/objects/port.ts'
import { FROM_NOW, NAME, openLog, type TestLog } from './log.ts'

useFakeClock()

async function listenTo(log: TestLog, changed: Partial<FeedOptions> = {}) {
  const received: number[] = []
  const losses: unknown[] = []
  const listened = await log.objects.openFeed(NAME, {
    start: FROM_NOW,
    subject: undefined,
    holder: 'ada',
    onOccurrences: (occurrences) => received.push(...occurrences.map(({ position }) => position)),
    onLost: (error) => losses.push(error),
    ...changed,
  })
  return { listened, received, losses }
}

async function open(log: TestLog, changed: Partial<FeedOptions> = {}) {
  const { listened, ...listener } = await listenTo(log, changed)
  if (!listened.ok) throw new Error(listened.error)
  return { feed: listened.value as LogFeed, ...listener }
}

const startAt = (log: string, position: number): { start: LogStart } => ({
  start: { after: { log, position }, maxAgeMs: undefined },
})

describe('a stream of a log', () => {
  it('begins now, and gets what is emitted, also after an eviction of the object', async () => {
    const log = await openLog()
    await log.emit()
    const { feed, received } = await open(log)
    expect(feed).toMatchObject({ position: 1, truncated: false })
    await log.emit()
    await expect.poll(() => received).toEqual([2])
    await evictDurableObject(log.stub)
    await log.emit()
    await expect.poll(() => received).toEqual([2, 3])
  })

  it('gets the occurrence as it was emitted', async () => {
    const log = await openLog()
    const occurrences: unknown[] = []
    await open(log, { onOccurrences: (each) => void occurrences.push(...each) })
    await log.emit({ text: 'ä' }, { control: 'error' })
    await expect
      .poll(() => occurrences)
      .toEqual([
        {
          position: 1,
          eventId: 'e1',
          timestamp: '2100-11-02T12:00:00.000Z',
          data: '{"text":"ä"}',
          control: 'error',
        },
      ])
  })

  it('that begins at a position gets what is after it, and then what is emitted', async () => {
    const log = await openLog()
    const { log: name } = await log.read()
    await log.emitAll(256)
    const { feed, received } = await open(log, startAt(name, 0))
    expect(feed).toMatchObject({ position: 0, truncated: false })
    await log.emit()
    await expect.poll(() => received).toEqual(Array.from({ length: 257 }, (_, n) => n + 1))
  })

  it('that is behind by more than one message can contain is refused', async () => {
    const log = await openLog()
    const { log: name } = await log.read()
    await log.emit()
    const { log: named } = await log.read()
    await log.emitAll(256)
    const { listened } = await listenTo(log, startAt(name, 0))
    expect(listened).toEqual({ ok: false, error: 'behind' })
    expect((await listenTo(log, startAt(named, 1))).listened.ok).toBe(true)
    for (let n = 0; n < 5; n++) await log.emit({ text: 'x'.repeat(250_000) })
    expect((await listenTo(log, startAt(named, 257))).listened).toEqual({
      ok: false,
      error: 'behind',
    })
    const { received } = await open(log, startAt(named, 259))
    await expect.poll(() => received).toEqual([260, 261, 262])
  })

  it('that begins at a position of another log begins now, with `truncated`', async () => {
    const log = await openLog()
    await log.emit()
    const { feed } = await open(log, startAt('another', 1))
    expect(feed).toMatchObject({ position: 1, truncated: true })
  })

  it('names the log before the first event, so that its positions are known later', async () => {
    const log = await openLog()
    const { feed } = await open(log)
    await log.emit()
    expect(await log.read({ after: feed })).toMatchObject({
      log: feed.log,
      truncated: false,
      occurrences: [{ position: 1 }],
    })
  })

  it('gets events for everyone, and those of its person alone', async () => {
    const log = await openLog()
    const ada = await open(log, { subject: 'ada' })
    const bob = await open(log, { subject: 'bob' })
    const anyone = await open(log)
    await log.emit({}, { subject: 'ada' })
    await log.emit({}, { subject: 'bob' })
    await log.emit({}, { subject: 'cas' })
    await log.emit()
    await expect.poll(() => ada.received).toEqual([1, 4])
    await expect.poll(() => bob.received).toEqual([2, 4])
    await expect.poll(() => anyone.received).toEqual([4])
    const again = await open(log, { subject: 'ada', ...startAt(ada.feed.log, 0) })
    await expect.poll(() => again.received).toEqual([1, 4])
  })

  it('is not sent an event id that the log has already', async () => {
    const log = await openLog()
    const { received } = await open(log)
    for (const eventId of ['a', 'a', 'b']) await log.emit({}, { eventId })
    await expect.poll(() => received).toEqual([1, 2])
  })

  it('that was closed gets nothing more, and is not lost', async () => {
    const log = await openLog()
    const { feed, received, losses } = await open(log)
    feed.close()
    await log.emit()
    const other = await open(log, startAt(feed.log, 0))
    await expect.poll(() => other.received).toEqual([1])
    expect([received, losses]).toEqual([[], []])
  })

  it('is lost when the object closes its socket, and with the error of its listener', async () => {
    const log = await openLog()
    const { losses } = await open(log)
    const broken = await open(log, {
      onOccurrences: () => {
        throw new Error('broken')
      },
    })
    await log.emit()
    await expect.poll(() => broken.losses).toEqual([new Error('broken')])
    await runInDurableObject(log.stub, (_, ctx) => {
      for (const socket of ctx.getWebSockets()) socket.close(1011)
    })
    await expect.poll(() => losses).toEqual([undefined])
  })

  it('is refused at the limit of its holder, and at that of the type', async () => {
    const log = await openLog({ limits: { streamsPerPrincipal: 2, streamsPerType: 3 } })
    const outcome = async (holder: string) => (await listenTo(log, { holder })).listened
    const { feed } = await open(log)
    expect(await outcome('ada')).toMatchObject({ ok: true })
    expect(await outcome('ada')).toEqual({ ok: false, error: 'full' })
    expect(await outcome('bob')).toMatchObject({ ok: true })
    expect(await outcome('cas')).toEqual({ ok: false, error: 'full' })
    feed.close()
    await expect.poll(async () => (await outcome('cas')).ok).toBe(true)
  })

  it('keeps a log that was empty for 30 days', async () => {
    const log = await openLog()
    const { feed, received } = await open(log)
    for (const days of [2, 33, 64, 95]) {
      vi.setSystemTime(NOON + days * DAY_MS)
      await log.runDue()
    }
    await log.emit()
    await expect.poll(() => received).toEqual([1])
    expect((await log.read()).log).toBe(feed.log)
  })
})

describe('a request for a stream socket of a log', () => {
  it.each([
    ['without an upgrade', 'https://log/listen?request={}', {}],
    ['without a request', 'https://log/listen', { upgrade: 'websocket' }],
    ['without a name', 'https://log/listen?request={"holder":"a"}', { upgrade: 'websocket' }],
  ])('is refused with 400 %s', async (_, url, headers) => {
    const log = await openLog()
    const response = await log.stub.fetch(url, { headers })
    expect([response.status, await response.text()]).toEqual([
      400,
      'Not a request for a stream socket',
    ])
    expect(await log.rows("SELECT name FROM sqlite_master WHERE name = 'log'")).toEqual([])
  })
})
