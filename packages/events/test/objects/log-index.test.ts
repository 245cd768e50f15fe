/** The index of a log: registrations, and from where each subscription gets events. */
// features: events
import { describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS, NOON, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import { FROM_NOW, openLog } from './log.ts'

useFakeClock()

const startAfter = (log: string, position: number, maxAgeMs?: number) => ({
  start: { after: { log, position }, maxAgeMs },
})

describe('a subscription in the index', () => {
  it('that is registered anew begins at its new position', async () => {
    const log = await openLog()
    await log.register('ada')
    await log.emit()
    const second = await log.register('ada')
    expect(second.position).toBe(1)
    await log.emit()
    await log.runDue()
    expect(log.received()).toEqual({ ada: [2] })
  })

  it('leaves when the object of its principal does not have it', async () => {
    const log = await openLog({ accept: async () => ['ada2'] })
    await log.register('ada')
    await log.register('ada2')
    await log.emit()
    await log.runDue()
    expect(await log.rows('SELECT id FROM subscriptions')).toEqual([{ id: 'ada' }])
  })

  it('stays when it was registered anew while its principal answered that it is gone', async () => {
    const log = await openLog({
      accept: async () => {
        await log.register('ada')
        return ['ada']
      },
    })
    await log.register('ada')
    await log.emit()
    await log.runDue()
    expect(await log.rows('SELECT id FROM subscriptions')).toEqual([{ id: 'ada' }])
  })

  it('that continues and is not in the index begins now, and may have lost some', async () => {
    const log = await openLog()
    await log.emit()
    expect(await log.register('ada', { start: undefined })).toMatchObject({
      position: 1,
      truncated: true,
    })
  })
})

describe('a subscription that begins at an earlier position', () => {
  it('that was pruned, is too old or of another log begins later, with `truncated`', async () => {
    const log = await openLog({ limits: { occurrencesPerLog: 4 } })
    for (let n = 0; n < 6; n++) {
      vi.setSystemTime(NOON + n * HOUR_MS)
      await log.emit({ n })
    }
    const { log: name } = await log.read()
    const register = (id: string, ...start: Parameters<typeof startAfter>) =>
      log.register(id, startAfter(...start))
    expect(await register('ada', name, 1)).toMatchObject({ position: 2, truncated: true })
    expect(await register('bob', name, 3, HOUR_MS)).toMatchObject({ position: 4, truncated: true })
    expect(await register('cas', 'other', 3)).toMatchObject({ position: 6, truncated: true })
    await log.runDue()
    expect(log.received()).toEqual({ ada: [3, 4, 5, 6], bob: [5, 6] })
  })

  it('of a type without history begins now', async () => {
    const log = await openLog({ type: { historyMs: 0 } })
    await log.emit()
    const { log: name } = await log.read()
    const started = await log.register('ada', startAfter(name, 0))
    expect(started).toMatchObject({ position: 1, truncated: false })
  })

  it('can begin before the first event of a log that did not exist', async () => {
    const log = await openLog()
    const { log: name, position } = await log.read()
    await log.emit()
    await log.register('ada', startAfter(name, position))
    await log.runDue()
    expect(log.received()).toEqual({ ada: [1] })
  })
})

describe('the index of a log', () => {
  it('keeps events until they were handed over, and not longer when it is empty', async () => {
    const log = await openLog({ accept: () => Promise.reject(new Error('unreachable')) })
    await log.register('ada')
    await log.emit()
    vi.setSystemTime(NOON + DAY_MS + HOUR_MS)
    await log.emit()
    await log.runDue()
    expect(await log.rows('SELECT position FROM occurrences')).toHaveLength(2)
    await log.unregister('ada')
    vi.setSystemTime(NOON + DAY_MS + 2 * HOUR_MS)
    await log.runDue()
    expect(await log.rows('SELECT position FROM occurrences')).toEqual([{ position: 2 }])
    expect(await log.register('bob', { start: FROM_NOW })).toMatchObject({ position: 2 })
  })
})
