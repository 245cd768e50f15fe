// features: objects
/** Objects that this version of the Worker has no part for: they serve nothing, delete nothing, and keep their alarm. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { audienceDigest } from '../../src/ports/object-kinds.ts'

const MINUTE_MS = 60_000

const objects = env.MCP_OBJECTS

/** What the class has beside what the platform calls. */
interface Called {
  call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown>
}

const OBJECTS = [
  [
    'of a server that the Worker does not have any more',
    () => objects.getByName(`session:${audienceDigest('gone')}:${crypto.randomUUID()}`),
  ],
  ['of a kind of another version', () => objects.getByName(`next:${crypto.randomUUID()}`)],
  ['whose name has no kind', () => objects.getByName(crypto.randomUUID())],
  ['without a name', () => objects.get(objects.newUniqueId())],
] as const

type Open = (typeof OBJECTS)[number][1]

/** An object with rows and an alarm of a feature. */
async function withRows(open: Open) {
  const stub = open()
  await runInDurableObject(stub, async (_, { storage }) => {
    storage.sql.exec('CREATE TABLE kept (value TEXT)')
    storage.sql.exec("INSERT INTO kept VALUES ('row')")
    await storage.setAlarm(Date.now() + MINUTE_MS)
  })
  return stub
}

const alarmOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each(OBJECTS)('an object %s', (_, open) => {
  it('keeps its rows when its alarm is due, and sets the alarm again', async () => {
    const stub = await withRows(open)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const rows = await runInDurableObject(stub, (__, { storage }) =>
      storage.sql.exec('SELECT value FROM kept').toArray(),
    )
    expect(rows).toEqual([{ value: 'row' }])
    expect(await alarmOf(stub)).toBe(Date.now() + 10_000)
  })

  it('defers its alarm by twice the last delay each time, and by an hour at most', async () => {
    const stub = await withRows(open)
    const delays: number[] = []
    for (let n = 0; n < 11; n++) {
      await runDurableObjectAlarm(stub)
      delays.push(((await alarmOf(stub)) ?? 0) - Date.now())
    }
    const seconds = [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]
    expect(delays.map((delay) => delay / 1000)).toEqual(seconds)
  })

  it('sets no alarm when it had none', async () => {
    const stub = open()
    expect(await runDurableObjectAlarm(stub)).toBe(false)
    expect(await alarmOf(stub)).toBeNull()
  })

  it('refuses every call as one that is not in this version', async () => {
    const stub = open()
    for (const [kind, method] of [
      ['session', 'post'],
      ['hub', 'publish'],
      ['none', 'alarm'],
      ['place', 'constructor'],
    ] as const) {
      const refusal = await runInDurableObject(stub, (object) =>
        (object as unknown as Called).call(kind, method, []).catch((error: Error) => error.message),
      )
      expect(refusal).toBe(`not in this version of the Worker: ${kind}.${method}`)
    }
  })

  it('answers a request for a socket with 421', async () => {
    const headers = { upgrade: 'websocket' }
    const response = await open().fetch(new Request('https://object/', { headers }))
    expect([response.status, response.webSocket]).toEqual([421, null])
  })
})
