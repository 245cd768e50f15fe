// features: keyring
import { runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PrincipalsObject } from '../../../durable-objects/keyring/principals-object.ts'
import { objectsOfKind } from '../../support/objects.ts'

const HOUR_MS = 3_600_000
const SERVER = 'notes'
const LATER = () => Date.now() + HOUR_MS

function shard() {
  return objectsOfKind<PrincipalsObject>('principals').named(crypto.randomUUID())
}

describe('the count of the sessions of a principal', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2100, 0, 1) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('returns the least recently used session beyond the limit, and forgets it', async () => {
    const object = shard()
    const expiresAt = LATER()
    const enter = (name: string) => {
      vi.setSystemTime(Date.now() + 1)
      return object.enterSession('anna', name, expiresAt, 2, SERVER)
    }
    expect(await enter('one')).toEqual([])
    expect(await enter('two')).toEqual([])
    expect(await enter('one')).toEqual([])
    expect(await enter('three')).toEqual([{ name: 'two', expiresAt }])
    expect(await enter('four')).toEqual([{ name: 'one', expiresAt }])
  })

  it('counts each principal apart', async () => {
    const object = shard()
    expect(await object.enterSession('anna', 'one', LATER(), 1, SERVER)).toEqual([])
    expect(await object.enterSession('boris', 'two', LATER(), 1, SERVER)).toEqual([])
  })

  it('does not count a session that has left', async () => {
    const object = shard()
    await object.enterSession('anna', 'one', LATER(), 1, SERVER)
    await object.leaveSession('anna', 'one')
    expect(await object.enterSession('anna', 'two', LATER(), 1, SERVER)).toEqual([])
  })

  it('returns every session beyond a limit that was lowered', async () => {
    const object = shard()
    for (const name of ['one', 'two', 'three']) {
      vi.setSystemTime(Date.now() + 1)
      await object.enterSession('anna', name, LATER(), 10, SERVER)
    }
    vi.setSystemTime(Date.now() + 1)
    const excess = await object.enterSession('anna', 'four', LATER(), 1, SERVER)
    expect(excess.map(({ name }) => name)).toEqual(['three', 'two', 'one'])
  })

  it('does not count a session whose id has expired', async () => {
    const object = shard()
    await object.enterSession('anna', 'one', LATER(), 1, SERVER)
    vi.setSystemTime(Date.now() + 2 * HOUR_MS)
    await runDurableObjectAlarm(object)
    expect(await object.enterSession('anna', 'two', LATER(), 1, SERVER)).toEqual([])
  })
})
