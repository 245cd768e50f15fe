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
  it('gets the events after its registration', async () => {
    const log = await openLog()
    await log.emit()
    expect(await log.register('ada')).toMatchObject({ position: 1, truncated: false })
    await log.emit()
    await log.runDue()
    expect(log.received()).toEqual({ ada: [2] })
  })

  it('that is registered again continues, from the position up to which everything was accepted', async () => {
    const log = await openLog()
    await log.register('ada')
    await log.emit()
    const again = () => log.register('ada', { start: undefined })
    expect(await again()).toMatchObject({ position: 0 })
    await log.runDue()
    expect(await again()).toMatchObject({ position: 1, truncated: false })
    await log.emit({}, { subject: 'bob' })
    await log.runDue()
    // Nothing was for it, and its position advances.
    expect(await again()).toMatchObject({ position: 2 })
    expect(log.received()).toEqual({ ada: [1] })
    expect(await log.rows('SELECT id FROM subscriptions')).toHaveLength(1)
  })

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

  it('gets nothing after it was unregistered', async () => {
    const log = await openLog()
    await log.register('ada')
    await log.emit()
    await log.unregister('ada')
    await log.unregister('ada')
    await log.runDue()
    expect(log.accepted).toEqual([])
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
  it('gets what it has missed, and then what is emitted, once and in order', async () => {
    const log = await openLog()
    await log.emitAll(200)
    const { log: name } = await log.read()
    await log.register('bob')
    expect(await log.register('ada', startAfter(name, 3))).toMatchObject({
      position: 3,
      truncated: false,
    })
    await log.emit()
    await log.runDue()
    await log.emit()
    await log.runDue()
    const { ada, bob } = log.received()
    expect(ada).toEqual(Array.from({ length: 199 }, (_, index) => index + 4))
    expect(bob).toEqual([201, 202])
  })

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
