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

  it('refuses a task beyond the limit, of this principal alone', async () => {
    const object = shard()
    expect(await enter(object, 'p', 2)).toBe(true)
    expect(await enter(object, 'p', 2)).toBe(true)
    expect(await enter(object, 'p', 2)).toBe(false)
    expect(await enter(object, 'p', 2)).toBe(false)
    expect(await enter(object, 'q', 2)).toBe(true)
  })

  it('is exact after the object has left memory', async () => {
    const object = shard()
    for (let n = 0; n < 3; n++) expect(await enter(object, 'p', 4)).toBe(true)
    await evictDurableObject(object)
    expect(await enter(object, 'p', 4)).toBe(true)
    expect(await enter(object, 'p', 4)).toBe(false)
  })

  it('does not count tasks that have expired, were deleted, or were entered twice', async () => {
    const object = shard()
    const task = { ...TASK, principal: 'p' }
    for (let n = 0; n < 3; n++) await object.enterTask({ ...task, name: 'repeated' }, 3)
    expect(await enter(object, 'p', 3, NOW + 1)).toBe(true)
    expect(await enter(object, 'p', 3)).toBe(true)
    expect(await enter(object, 'p', 3)).toBe(false)
    vi.setSystemTime(NOW + 2)
    expect(await enter(object, 'p', 3)).toBe(true)
    expect(await enter(object, 'p', 3)).toBe(false)
    await object.leaveTask('anna', 'repeated')
    expect(await enter(object, 'p', 3)).toBe(true)
    expect(await enter(object, 'p', 3)).toBe(false)
  })

  it('does not count a task whose place was freed, also after the object has left memory', async () => {
    const object = shard()
    const task = { ...TASK, principal: 'p' }
    await object.enterTask({ ...task, name: 'cancelled' }, 2)
    expect(await enter(object, 'p', 2)).toBe(true)
    expect(await enter(object, 'p', 2)).toBe(false)
    for (let n = 0; n < 2; n++) await object.freeTask('anna', 'cancelled')
    await object.freeTask('anna', 'unknown')
    expect(await enter(object, 'p', 2)).toBe(true)
    expect(await enter(object, 'p', 2)).toBe(false)
    await evictDurableObject(object)
    expect(await enter(object, 'p', 2)).toBe(false)
    const listed = await object.listTasks('anna', 'p', undefined, 10)
    expect(listed.map(({ name }) => name)).toContain('cancelled')
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

  it('holds under a limit that was lowered', async () => {
    const object = shard()
    for (let n = 0; n < 3; n++) await enter(object, 'p', 10)
    expect(await enter(object, 'p', 2)).toBe(false)
    expect(await enter(object, 'p', 10)).toBe(true)
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
