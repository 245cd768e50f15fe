// features: keyring
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
})
