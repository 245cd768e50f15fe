/** The class that an app exports in place of that of a feature which it does not have. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const MINUTE_MS = 60_000

const objects = env.UNUSED_OBJECT

/** An object with rows and an alarm of a feature. */
async function objectWithRows() {
  const stub = objects.getByName(crypto.randomUUID())
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec('CREATE TABLE kept (value TEXT)')
    storage.sql.exec("INSERT INTO kept VALUES ('row')")
    await storage.setAlarm(Date.now() + MINUTE_MS)
  })
  return stub
}

type Stub = Awaited<ReturnType<typeof objectWithRows>>

const alarmOf = (stub: Stub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an object of a feature that the app does not have', () => {
  it('keeps its rows when its alarm is due, and sets the alarm again', async () => {
    const stub = await objectWithRows()
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const rows = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec('SELECT value FROM kept').toArray(),
    )
    expect(rows).toEqual([{ value: 'row' }])
    expect(await alarmOf(stub)).toBe(Date.now() + 10_000)
  })

  it('defers its alarm by twice the last delay each time, and by an hour at most', async () => {
    const stub = await objectWithRows()
    const delays: number[] = []
    for (let n = 0; n < 11; n++) {
      await runDurableObjectAlarm(stub)
      delays.push(((await alarmOf(stub)) ?? 0) - Date.now())
    }
    const seconds = [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]
    expect(delays.map((delay) => delay / 1000)).toEqual(seconds)
  })

  it('sets no alarm when it had none', async () => {
    const stub = objects.getByName(crypto.randomUUID())
    expect(await runDurableObjectAlarm(stub)).toBe(false)
    expect(await alarmOf(stub)).toBeNull()
  })
})
