/** What an emit stores, and what it costs. */
// features: events
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import type { EventLogObject } from '../../../../test/support/event-log-object.ts'
import { openLog, type TestLog, TYPE } from './log.ts'

useFakeClock()

/** Rows that the SQL statements of some work have written. */
async function rowsWritten(log: TestLog, work: (object: EventLogObject) => Promise<unknown>) {
  return runInDurableObject<EventLogObject, number>(
    log.stub,
    async (object, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql)
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
      sql.exec = ((...query: Parameters<typeof exec>) => {
        const cursor = exec(...query)
        cursors.push(cursor as never)
        return cursor
      }) as typeof exec
      try {
        await work(object)
      } finally {
        sql.exec = exec
      }
      return cursors.reduce((sum, { rowsWritten: rows }) => sum + rows, 0)
    },
  )
}

describe('an emitted event', () => {
  it('gets the next position, and is read with what was emitted', async () => {
    const log = await openLog()
    expect(await log.emit({ id: 1 })).toEqual({ position: 1, isNew: true })
    expect(await log.emit({ id: 2 }, { subject: 'ada' })).toEqual({ position: 2, isNew: true })
    const { occurrences } = await log.read({
      after: log.beginning,
      subject: 'ada',
    })
    expect(occurrences).toEqual([
      {
        position: 1,
        eventId: 'e1',
        timestamp: '2100-11-02T12:00:00.000Z',
        data: '{"id":1}',
        subject: undefined,
      },
      {
        position: 2,
        eventId: 'e2',
        timestamp: '2100-11-02T12:00:00.000Z',
        data: '{"id":2}',
        subject: 'ada',
      },
    ])
  })

  it('with the id of an earlier one is that one, for as long as ids are remembered', async () => {
    const log = await openLog()
    await log.emit({ first: true }, { eventId: 'same' })
    vi.setSystemTime(NOON + DAY_MS - 1)
    expect(await log.emit({ first: false }, { eventId: 'same' })).toEqual({
      position: 1,
      isNew: false,
    })
    await log.runDue()
    expect(await log.emit({ first: false }, { eventId: 'same' })).toMatchObject({ isNew: false })
    vi.setSystemTime(NOON + DAY_MS)
    expect(await log.emit({ first: false }, { eventId: 'same' })).toEqual({
      position: 2,
      isNew: true,
    })
  })

  it('with the id of an earlier one for another person is one of its own', async () => {
    const log = await openLog()
    const emit = (subject: string | undefined) => log.emit({}, { eventId: 'same', subject })
    const subjects = ['ada', 'bob', undefined]
    for (const isNew of [true, false]) {
      const emitted = await Promise.all(subjects.map(emit))
      expect(emitted).toEqual([1, 2, 3].map((position) => ({ position, isNew })))
    }
    const { occurrences } = await log.read({ after: log.beginning, subject: 'bob' })
    expect(occurrences.map(({ eventId, position }) => [eventId, position])).toEqual([
      ['same', 2],
      ['same', 3],
    ])
  })

  it('of one person is remembered by its id alone in the log of this person', async () => {
    const log = await openLog({}, { type: TYPE, subject: 'ada' })
    await log.emit({}, { eventId: 'same', subject: 'ada' })
    expect(await log.rows('SELECT id FROM event_ids')).toEqual([{ id: 'same' }])
  })

  it('that several Workers emit at the same time is stored once', async () => {
    const log = await openLog()
    const emitted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => log.emit({ index }, { eventId: `id${index % 4}` })),
    )
    expect(emitted.filter(({ isNew }) => isNew)).toHaveLength(4)
    expect(await log.rows('SELECT event_id FROM occurrences')).toHaveLength(4)
  })

  it('writes three rows without subscribers, and at most four with them', async () => {
    const log = await openLog()
    await log.emit()
    const emit = (eventId: string) => (object: EventLogObject) =>
      object.emit(
        { type: 'note.changed', subject: undefined },
        { eventId, timestamp: '2100-11-02T12:00:00Z', data: '{}', subject: undefined },
      )
    expect(await rowsWritten(log, emit('a'))).toBe(3)
    expect(await rowsWritten(log, emit('a'))).toBe(0)
    await log.register('ada')
    expect(await rowsWritten(log, emit('b'))).toBeLessThanOrEqual(4)
  })

  it('sets no alarm of its own after the first one without subscribers', async () => {
    const log = await openLog()
    await log.emit()
    const at = await log.alarmAt()
    expect(at).toBe(NOON + DAY_MS)
    await log.emit()
    expect(await log.alarmAt()).toBe(at)
  })

  it('above the limit of the log replaces the oldest one', async () => {
    const log = await openLog({ limits: { occurrencesPerLog: 3 } })
    for (let n = 0; n < 5; n++) await log.emit({ n })
    expect(await log.rows('SELECT position FROM occurrences')).toEqual(
      [3, 4, 5].map((position) => ({ position })),
    )
  })

  it('above the bytes of the log replaces as many of the oldest as it needs', async () => {
    const log = await openLog({ limits: { bytesPerObject: 600_000 } })
    for (let n = 0; n < 100; n++) await log.emit({ n })
    for (let n = 0; n < 20; n++) await log.emit({ text: 'x'.repeat(100_000) })
    const size = await runInDurableObject(log.stub, (_, { storage: { sql } }) => sql.databaseSize)
    expect(size).toBeLessThan(800_000)
    const [newest] = await log.rows('SELECT max(position) AS position FROM occurrences')
    expect(newest).toEqual({ position: 120 })
  })

  it('is refused with data that no delivery can contain', async () => {
    const log = await openLog()
    await expect(log.emit({ text: 'x'.repeat(262_144) })).rejects.toThrow(TypeError)
    await expect(log.emit({}, { subject: 'a\ud800' })).rejects.toThrow(TypeError)
    expect(await log.rows("SELECT name FROM sqlite_master WHERE name = 'log'")).toEqual([])
  })
})

describe('the retention of a log', () => {
  it('deletes events and event ids when they expire, and keeps positions', async () => {
    const log = await openLog({ type: { historyMs: 60 * MINUTE_MS } })
    await log.emit()
    await log.emit()
    vi.setSystemTime(NOON + 61 * MINUTE_MS)
    await log.emit()
    await log.runDue()
    expect(await log.rows('SELECT position FROM occurrences')).toEqual([{ position: 3 }])
    expect(await log.rows('SELECT id FROM event_ids')).toHaveLength(3)
    vi.setSystemTime(NOON + 2 * DAY_MS)
    await log.runDue()
    expect(await log.rows('SELECT id FROM event_ids')).toEqual([])
    expect(await log.emit()).toEqual({ position: 4, isNew: true })
  })

  it('keeps an event of a type without history for a minute, for streams that reconnect', async () => {
    const log = await openLog({ type: { historyMs: 0 } })
    await log.emit()
    await log.runDue()
    const { log: name } = await log.read()
    const read = () => log.read({ after: { log: name, position: 0 } })
    expect((await read()).occurrences).toHaveLength(1)
    vi.setSystemTime(NOON + 10 * MINUTE_MS)
    await log.runDue()
    expect(await read()).toMatchObject({ occurrences: [], truncated: false, position: 1 })
  })

  it('deletes a log that was empty for 30 days, unless a stream is open', async () => {
    const log = await openLog()
    await log.emit()
    for (const days of [2, 33]) {
      vi.setSystemTime(NOON + days * DAY_MS)
      await log.runDue()
    }
    expect(await log.rows("SELECT name FROM sqlite_master WHERE name = 'log'")).toEqual([])
    expect(await log.alarmAt()).toBeNull()
    expect(await log.emit()).toEqual({ position: 1, isNew: true })
  })
})
