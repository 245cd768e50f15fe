/** From where a log is read, and when `truncated` reports a loss. */
// features: events
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import { openLog, type TestLog } from './log.ts'

useFakeClock()

/** A log with events, an hour between two of them. */
async function hourlyLog(count: number, options: Parameters<typeof openLog>[0] = {}) {
  const log = await openLog(options)
  for (let n = 1; n <= count; n++) {
    vi.setSystemTime(NOON + n * HOUR_MS)
    await log.emit({ n })
  }
  const { log: name } = await log.read()
  const at = (position: number) => ({ log: name, position })
  return { log, name, at }
}

async function readPositions(log: TestLog, query: Parameters<TestLog['read']>[0]) {
  const { occurrences, ...page } = await log.read(query)
  return { ...page, read: occurrences.map(({ position }) => position) }
}

describe('a log without events', () => {
  it('stores nothing when it is read, and loses none that is emitted after that', async () => {
    const log = await openLog()
    const first = await log.read()
    expect(first).toMatchObject({ occurrences: [], position: 0, hasMore: false, truncated: false })
    expect(await log.read({ after: first })).toEqual(first)
    expect(await log.rows("SELECT name FROM sqlite_master WHERE name = 'log'")).toEqual([])
    await log.emit()
    expect(await readPositions(log, { after: first })).toMatchObject({
      read: [1],
      truncated: false,
    })
  })

  it.each([
    ['with events', 2],
    ['without events', 0],
  ])('has a first position that another log %s answers as a loss', async (_, events) => {
    const after = await (await openLog()).read()
    const log = await openLog()
    for (let n = 0; n < events; n++) await log.emit({ n })
    expect(await readPositions(log, { after })).toMatchObject({
      read: [],
      position: events,
      truncated: true,
    })
    await log.register('ada', { start: { after, maxAgeMs: undefined } })
    await log.runDue()
    expect(log.received()).toEqual({})
  })

  it('reports a loss for a position of a log that does not exist', async () => {
    const log = await openLog()
    expect(await log.read({ after: { log: 'earlier', position: 3 } })).toMatchObject({
      truncated: true,
      position: 0,
    })
  })
})

describe('a reader of a log', () => {
  it('without a position begins now', async () => {
    const { log, name } = await hourlyLog(3)
    expect(await log.read({ maxAgeMs: DAY_MS })).toEqual({
      log: name,
      occurrences: [],
      position: 3,
      hasMore: false,
      truncated: false,
    })
  })

  it('with a position gets everything after it, a page at a time', async () => {
    const { log, at } = await hourlyLog(5)
    expect(await readPositions(log, { after: at(1), limit: 2 })).toMatchObject({
      read: [2, 3],
      position: 3,
      hasMore: true,
      truncated: false,
    })
    expect(await readPositions(log, { after: at(3), limit: 2 })).toMatchObject({
      read: [4, 5],
      position: 5,
      hasMore: false,
    })
    expect(await readPositions(log, { after: at(5) })).toMatchObject({ read: [], position: 5 })
  })

  it.each([
    ['of another log', { log: 'another', position: 2 }],
    ['of the log that the client has made up', { log: '', position: 0 }],
    ['ahead of the log, as after a restore', undefined],
  ])('with a position %s begins now, and has lost some', async (_, position) => {
    const { log, at } = await hourlyLog(3)
    expect(await readPositions(log, { after: position ?? at(4) })).toMatchObject({
      read: [],
      position: 3,
      truncated: true,
    })
  })

  it('with a position older than the history gets what is within it, before any row is deleted', async () => {
    const { log, at } = await hourlyLog(5, { type: { historyMs: 2 * HOUR_MS } })
    expect(await readPositions(log, { after: at(1) })).toMatchObject({
      read: [3, 4, 5],
      truncated: true,
    })
    expect(await readPositions(log, { after: at(2) })).toMatchObject({ truncated: false })
    expect(await log.rows('SELECT position FROM occurrences')).toHaveLength(5)
  })

  it('with a position that was pruned begins at the oldest event, and has lost some', async () => {
    const { log, at } = await hourlyLog(5, { limits: { occurrencesPerLog: 3 } })
    expect(await readPositions(log, { after: at(1) })).toMatchObject({
      read: [3, 4, 5],
      truncated: true,
    })
    expect(await readPositions(log, { after: at(2) })).toMatchObject({
      read: [3, 4, 5],
      truncated: false,
    })
    // All are pruned.
    vi.setSystemTime(NOON + 5 * DAY_MS)
    await log.runDue()
    expect(await readPositions(log, { after: at(4) })).toMatchObject({
      read: [],
      position: 5,
      truncated: true,
    })
    expect(await readPositions(log, { after: at(5) })).toMatchObject({ truncated: false })
  })

  it('with a maximum age begins there, and has lost some where events lie between', async () => {
    const { log, at } = await hourlyLog(5)
    vi.setSystemTime(NOON + 5 * HOUR_MS + 30 * MINUTE_MS)
    const read = (position: number, maxAgeMs: number) =>
      readPositions(log, { after: at(position), maxAgeMs })
    expect(await read(1, 2 * HOUR_MS)).toMatchObject({ read: [4, 5], truncated: true })
    expect(await read(3, 2 * HOUR_MS)).toMatchObject({ read: [4, 5], truncated: false })
    expect(await read(1, MINUTE_MS)).toMatchObject({ read: [], position: 5, truncated: true })
    expect(await read(5, MINUTE_MS)).toMatchObject({ read: [], position: 5, truncated: false })
  })

  it('does not get the events of other persons, and its position advances past them', async () => {
    const log = await openLog()
    await log.emit()
    const { log: name } = await log.read()
    for (const subject of ['ada', 'bob', 'bob']) await log.emit({}, { subject })
    const after = { log: name, position: 0 }
    const read = (subject: string | undefined, limit = 100) =>
      readPositions(log, { after, subject, limit })
    expect(await read('ada')).toMatchObject({ read: [1, 2], position: 4, hasMore: false })
    expect(await read('bob', 2)).toMatchObject({ read: [1], position: 2, hasMore: true })
    expect(await read(undefined)).toMatchObject({ read: [1], position: 4 })
  })

  it('gets pages that one message between objects can contain', async () => {
    const log = await openLog()
    for (let n = 0; n < 20; n++) await log.emit({ text: 'x'.repeat(250_000) })
    const page = await readPositions(log, { after: log.beginning })
    expect(page).toMatchObject({ position: 16, hasMore: true })
  })
})

describe('a reader of a log of a type without history', () => {
  it('gets what it has missed within a minute, without `truncated`', async () => {
    const { log, at } = await hourlyLog(2, { type: { historyMs: 0 } })
    expect(await readPositions(log, { after: at(1) })).toMatchObject({
      read: [2],
      truncated: false,
    })
    for (const position of [at(9), { log: 'another', position: 1 }]) {
      expect(await readPositions(log, { after: position })).toMatchObject({
        read: [],
        position: 2,
        truncated: false,
      })
    }
  })
})

describe('a control word of the author', () => {
  it('is read like an event', async () => {
    const log = await openLog()
    await log.emit({ reason: 'down' }, { control: 'error' })
    const { occurrences } = await log.read({ after: log.beginning })
    expect(occurrences).toMatchObject([{ control: 'error', data: '{"reason":"down"}' }])
  })
})
