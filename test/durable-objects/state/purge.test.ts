/** When the state object deletes rows. */
// features: state
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { StateObject } from '../../../durable-objects/state/state-object.ts'
import { objectsOfKind } from '../../support/objects.ts'

const create = () => objectsOfKind<StateObject>('state').named(crypto.randomUUID())
type Stub = ReturnType<typeof create>

const write = (object: Stub, name: string, lifetimeMs?: number) =>
  object.write(name, {
    value: '1',
    digest: 'one',
    operation: `write ${name}`,
    mustExist: false,
    expected: undefined,
    lifetimeMs,
    limit: 9,
  })

/** Milliseconds until the alarm; undefined without one. */
async function alarmOf(object: Stub): Promise<number | undefined> {
  const at = await runInDurableObject(object, (_, { storage }) => storage.getAlarm())
  return at === null ? undefined : at - Date.now()
}

describe('the state object', () => {
  it('keeps the row of a deleted entry, so that a repeated deletion has the same result', async () => {
    const object = create()
    await write(object, 'one')
    expect(await object.delete('one', 'delete')).toBe(true)
    // Deletes what has expired.
    await write(object, 'two')
    expect(await object.delete('one', 'delete')).toBe(true)
  })

  it('sets an alarm for the row of a deleted entry, and none for entries that do not expire', async () => {
    const object = create()
    await write(object, 'one')
    expect(await alarmOf(object)).toBeUndefined()
    await object.delete('one', 'delete')
    expect(await alarmOf(object)).toBeGreaterThan(0)
  })

  it('sets its alarm for the entry that expires first', async () => {
    const object = create()
    await write(object, 'late', 60 * 60_000)
    await write(object, 'soon', 60_000)
    await write(object, 'later', 2 * 60 * 60_000)
    expect(await alarmOf(object)).toBeLessThanOrEqual(2 * 60_000)
  })
})
