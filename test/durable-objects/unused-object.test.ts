/** Objects of which no part is known: of a kind whose feature the Worker does not have, of another server, without a name. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { objectName } from '../../src/ports/object-kinds.ts'

const MINUTE_MS = 60_000

const nameOf = () => objectName('timeline', crypto.randomUUID(), 'a server that the Worker does not have')

const objects = env.MCP_OBJECTS

/** An object with rows and an alarm of a feature. */
async function objectWithRows() {
  const stub = objects.getByName(nameOf())
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

interface Rpc {
  call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown>
  fetch(request: Request): Promise<Response>
}

/** Awaited here: the runtime reports the rejection of an RPC that only a matcher awaits. */
const refused = async (stub: Rpc, kind: string, method: string) => await stub.call(kind, method, [])

describe('an object without a part', () => {
  it.each([
    ['of another server', () => objects.getByName(nameOf())],
    ['without a name', () => objects.get(objects.newUniqueId())],
    ['with a name of no kind', () => objects.getByName('tomorrow:1')],
    ['with a name that is too long for an object to read', () => objects.getByName('x'.repeat(2000))],
  ])('%s serves nothing', async (_, open) => {
    const stub = open() as unknown as Rpc
    await expect(refused(stub, 'timeline', 'read')).rejects.toThrow('not in this version of the Worker: timeline.read')
    const response = await stub.fetch(new Request('https://object/socket'))
    expect(response.status).toBe(503)
  })

  it('refuses a method of another kind, and one that the platform calls', async () => {
    const hub = objects.getByName(objectName('hub', crypto.randomUUID(), '')) as unknown as Rpc
    expect(await hub.call('hub', 'version', [])).toBe(0)
    for (const [kind, method] of [
      ['state', 'read'],
      ['hub', 'read'],
      ['hub', 'alarm'],
      ['hub', 'constructor'],
      ['hub', 'toString'],
      ['hub', '__proto__'],
    ] as const) {
      await expect(refused(hub, kind, method)).rejects.toThrow('not in this version')
    }
  })

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
    const stub = objects.getByName(nameOf())
    expect(await runDurableObjectAlarm(stub)).toBe(false)
    expect(await alarmOf(stub)).toBeNull()
  })
})
