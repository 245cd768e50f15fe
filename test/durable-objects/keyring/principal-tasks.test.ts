// features: keyring
import { evictDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PrincipalsObject } from '../../../durable-objects/keyring/principals-object.ts'
import { inPart, objectsOfKind } from '../../support/objects.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2100, 0, 1)
const TASK = { owner: 'anna', createdAt: NOW, expiresAt: NOW + HOUR_MS, server: 'notes' }

function shard() {
  return objectsOfKind<PrincipalsObject>('principals').named(crypto.randomUUID())
}

type Shard = ReturnType<typeof shard>

let created = 0

function enter(object: Shard, principal: string, limit: number, expiresAt = NOW + HOUR_MS) {
  const name = `task-${created++}`
  return object.enterTask({ ...TASK, principal, name, expiresAt }, limit)
}

/** The rows that one creation reads. */
function rowsReadBy(object: Shard, limit: number): Promise<number> {
  return inPart<PrincipalsObject, number>(object, async (instance, { storage }) => {
    const cursors: { readonly rowsRead: number }[] = []
    const { sql } = storage
    const exec = sql.exec.bind(sql)
    const spy = vi.spyOn(sql, 'exec').mockImplementation((query, ...values) => {
      const cursor = exec(query, ...values)
      cursors.push(cursor)
      return cursor as never
    })
    const task = { ...TASK, principal: 'p' }
    expect(await instance.enterTask({ ...task, name: `task-${created++}` }, limit)).toBe(true)
    spy.mockRestore()
    return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  })
}

describe('the count of the tasks of a principal', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('lists at most ten times the limit, with those whose places were freed', async () => {
    const object = shard()
    const task = { ...TASK, principal: 'p' }
    for (let n = 0; n < 20; n++) {
      expect(await object.enterTask({ ...task, name: `loop-${n}` }, 2)).toBe(true)
      await object.freeTask('anna', `loop-${n}`)
    }
    expect(await enter(object, 'p', 2)).toBe(false)
    vi.setSystemTime(NOW + HOUR_MS)
    expect(await enter(object, 'p', 2, NOW + 2 * HOUR_MS)).toBe(true)
  })

  it('reads the rows of the principal for the first creation in a stay in memory, and not for the next ones', async () => {
    const object = shard()
    for (let n = 0; n < 100; n++) await enter(object, 'p', 1000)
    expect(await rowsReadBy(object, 1000)).toBeLessThan(20)
    await evictDurableObject(object)
    expect(await rowsReadBy(object, 1000)).toBeGreaterThan(100)
    expect(await rowsReadBy(object, 1000)).toBeLessThan(20)
  })
})
