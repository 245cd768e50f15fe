/** The fan-out of a log: what reaches the objects of principals, and in which order, also over failures and kills. */
// features: events
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import type { EventLogObject } from '../../../../test/support/event-log-object.ts'
import { openLog, registrationOf, type TestLog } from './log.ts'
import { REPEATED } from './times.ts'

useFakeClock()

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the fan-out of a log', () => {
  it('calls the object of each principal once for a batch, with its occurrences in order', async () => {
    const log = await openLog()
    for (const id of ['bob', 'ada', 'ada2']) {
      await log.register(id, { arguments: id === 'ada2' ? '{"kind":"b"}' : '{}' })
    }
    for (const kind of ['a', 'b', 'a']) await log.emit({ kind })
    await log.runDue()
    expect(
      log.accepted.map(({ principal, page }) => [
        principal,
        page.entries.map(({ occurrence, subscriptions }) => [occurrence.position, subscriptions]),
      ]),
    ).toEqual([
      [
        'ada',
        [
          [1, ['ada']],
          [2, ['ada', 'ada2']],
          [3, ['ada']],
        ],
      ],
      [
        'bob',
        [
          [1, ['bob']],
          [2, ['bob']],
          [3, ['bob']],
        ],
      ],
    ])
  })

  it('evaluates `matches` once for each occurrence and each text of arguments', async () => {
    const matches = vi.fn((args: object, data: Record<string, unknown>) =>
      Object.entries(args).every(([name, value]) => data[name] === value),
    )
    const log = await openLog({ type: { matches } })
    await log.registerAll(
      numbers(1, 500).map((n) =>
        registrationOf(`p${n}x`, { arguments: n % 2 === 0 ? '{"kind":"a"}' : '{"kind":"b"}' }),
      ),
    )
    for (const kind of ['a', 'b', 'a']) await log.emit({ kind })
    await log.runDue()
    expect(matches).toHaveBeenCalledTimes(6)
    expect(log.accepted).toHaveLength(500)
  })

  it('hands a control word over to every subscription', async () => {
    const log = await openLog({ type: { matches: () => false } })
    await log.register('ada', { arguments: '{"kind":"a"}' })
    await log.emit()
    await log.emit({ reason: 'down' }, { control: 'gap' })
    await log.runDue()
    expect(log.received()).toEqual({ ada: [2] })
    expect(log.accepted[0]?.page.entries[0]?.occurrence.control).toBe('gap')
  })

  it('calls at most 200 objects in one turn of the alarm, 32 at a time', async () => {
    let open = 0
    let most = 0
    const log = await openLog({
      accept: async () => {
        open += 1
        most = Math.max(most, open)
        await new Promise((resolve) => setTimeout(resolve))
        open -= 1
        return []
      },
    })
    await log.registerAll(numbers(1, 450).map((n) => registrationOf(`p${n}x`)))
    await log.emit()
    await runDurableObjectAlarm(log.stub)
    expect([log.accepted.length, most]).toEqual([200, 32])
    expect(await log.runDue()).toBe(2)
    expect(Object.values(log.received())).toEqual(Array(450).fill([1]))
  })

  it('waits for a version of the app that has the type', async () => {
    const log = await openLog()
    await log.register('ada')
    const [[name, type] = []] = [...log.types]
    log.types.clear()
    await log.emit()
    await runDurableObjectAlarm(log.stub)
    expect(log.accepted).toEqual([])
    if (name !== undefined && type !== undefined) log.types.set(name, type)
    vi.setSystemTime(NOON + 5 * MINUTE_MS)
    await log.runDue()
    expect(log.received()).toEqual({ ada: [1] })
  })
})

describe('a principal whose object fails', () => {
  it('for longer than a day gets the next occurrence with a report of the loss', async () => {
    let isDown = true
    const log = await openLog({
      type: { historyMs: HOUR_MS },
      accept: async () => {
        if (isDown) throw new Error('unreachable')
        return []
      },
    })
    await log.register('ada')
    await log.emit()
    for (let hours = 1; hours <= 27; hours++) {
      vi.setSystemTime(NOON + hours * HOUR_MS)
      await log.runDue()
      if (hours === 20) expect(await log.rows('SELECT * FROM occurrences')).toHaveLength(1)
    }
    expect(await log.rows('SELECT * FROM occurrences')).toHaveLength(0)
    isDown = false
    await log.emit()
    vi.setSystemTime(NOON + 29 * HOUR_MS)
    await log.runDue()
    await log.emit()
    await log.runDue()
    expect(log.accepted.flatMap(({ page }) => page.entries)).toMatchObject([
      { occurrence: { position: 2 }, subscriptions: ['ada'], truncated: true },
      { occurrence: { position: 3 }, subscriptions: ['ada'] },
    ])
    expect(log.accepted.at(-1)?.page.entries[0]).not.toHaveProperty('truncated')
  })
})

describe('occurrences that the limit of the log deletes before they are handed over', () => {
  it('are reported as lost with the next one, to the subscriptions that had not got them', async () => {
    const log = await openLog({ limits: { occurrencesPerLog: 3 } })
    await log.register('ada')
    await log.register('bob', { subject: 'bob' })
    for (let n = 0; n < 5; n++) await log.emit()
    await log.register('cas')
    await log.emit()
    await log.runDue()
    await log.emit()
    await log.runDue()
    expect(log.received()).toEqual({ ada: [4, 5, 6, 7], bob: [4, 5, 6, 7], cas: [6, 7] })
    const lost = log.accepted.flatMap(({ page }) =>
      page.entries.flatMap(({ truncated, occurrence, subscriptions }) =>
        truncated ? [[occurrence.position, subscriptions]] : [],
      ),
    )
    expect(lost).toEqual([
      [4, ['ada']],
      [4, ['bob']],
    ])
  })

  it('in the middle of a batch are followed by the next batch for every subscription', async () => {
    const log = await openLog({ limits: { occurrencesPerLog: 1 } })
    await log.registerAll(numbers(1, 210).map((n) => registrationOf(`p${n}x`)))
    await log.emit()
    await runDurableObjectAlarm(log.stub)
    expect(log.accepted).toHaveLength(200)
    await log.emit()
    await log.emit()
    await log.runDue()
    const newest = Object.values(log.received()).map((positions) => positions.at(-1))
    expect(newest).toEqual(Array(210).fill(3))
  })
})

describe('a function `matches` that throws', () => {
  it('six times for an occurrence is asked no more, and the next ones are handed over', async () => {
    const matches = vi.fn((_: object, data: Record<string, unknown>) => {
      if (data.n === 2) throw new Error('broken')
      return true
    })
    const log = await openLog({ type: { matches } })
    await log.register('ada')
    for (const n of [1, 2, 3]) await log.emit({ n })
    for (let minutes = 0; minutes <= 10; minutes++) {
      vi.setSystemTime(NOON + minutes * MINUTE_MS)
      await log.runDue()
    }
    expect(log.received()).toEqual({ ada: [1, 3] })
    expect(matches.mock.calls.filter(([, data]) => data.n === 2)).toHaveLength(6)
    await log.emit({ n: 4 })
    await log.runDue()
    expect(log.received()).toEqual({ ada: [1, 3, 4] })
  })
})

/** Runs the alarm while it is due. One that is killed runs again, as the platform does it. */
async function runThroughKills(log: TestLog): Promise<void> {
  for (let runs = 0; runs < 60; runs++) {
    try {
      await runInDurableObject(log.stub, (object: EventLogObject) => object.alarm())
      const at = await log.alarmAt()
      if (at === null || at > Date.now()) return
    } catch {
      // Killed.
    }
  }
  throw new Error('The fan-out does not end')
}

describe('a log whose object is killed during the fan-out', REPEATED, () => {
  /** The names of principals in which a kill can happen, with occurrences of several batches between them. */
  const principals = numbers(1, 90).map((n) => `p${String(n).padStart(3, '0')}x`)

  async function fanOutWithKills(killAt: (call: number) => boolean) {
    let calls = 0
    const log = await openLog({
      accept: async (_, __, ctx) => {
        calls += 1
        const isKilled = killAt(calls)
        // A turn of the object ends, in which what was written is committed.
        await new Promise((resolve) => setTimeout(resolve))
        if (!isKilled) return []
        ctx.abort('killed')
        return new Promise<never>(() => undefined)
      },
    })
    await log.registerAll(principals.map((id) => registrationOf(id)))
    await log.emitAll(100)
    await runThroughKills(log)
    return { log, calls }
  }

  it('again and again loses nothing', async () => {
    const { log } = await fanOutWithKills((call) => call % 70 === 0)
    const received = log.received()
    expect(Object.keys(received).sort()).toEqual(principals)
    for (const positions of Object.values(received)) {
      expect([...new Set(positions)]).toEqual(numbers(1, 100))
    }
  })

  it('repeats a replay from the last page that was accepted', async () => {
    let calls = 0
    const log = await openLog({
      accept: async (_, __, ctx) => {
        calls += 1
        const isKilled = calls === 2
        await new Promise((resolve) => setTimeout(resolve))
        if (!isKilled) return []
        ctx.abort('killed')
        return new Promise<never>(() => undefined)
      },
    })
    await log.emitAll(150)
    await log.register('ada', { start: { after: log.beginning, maxAgeMs: DAY_MS } })
    await runThroughKills(log)
    expect(log.received()).toEqual({ ada: numbers(1, 150) })
    expect(calls).toBe(4)
  })
})
