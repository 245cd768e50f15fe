import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { RedeemedObject } from '../../../durable-objects/keyring/redeemed-object.ts'
import { shardOf } from '../../../durable-objects/keyring/shards.ts'
import { SessionStorage } from '../../../durable-objects/session/session-storage.ts'
import { Tombstone } from '../../../durable-objects/session/tombstone.ts'
import { createLatch } from '../../support/latch.ts'
import { objectsOfKind } from '../../support/objects.ts'
import { claimsOf, openSession } from '../../support/session-client.ts'
import { NOTHING, storedBy } from './stored.ts'

const DAY_MS = 86_400_000

describe('a session that was killed between its tombstone and the deletion of its rows', () => {
  it('is unknown, and deletes them with the next request', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    const name = `session ${(await session.stub()).id}`
    const { expiresAt } = await claimsOf(session.id)
    await objectsOfKind<RedeemedObject>('redeemed').named(shardOf(name)).redeem(name, expiresAt)
    await evictDurableObject(await session.stub())
    expect((await session.send('ping')).status).toBe(404)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('the handler of a session that ends', () => {
  it('creates no tables again when it subscribes after its session has ended', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const reached: string[] = []
    const call = session.call(async (ctx) => {
      reached.push('start')
      await wait()
      reached.push('end')
      return `${await ctx.elicit({ message: 'Go', url: 'https://x.example/', elicitationId: 'late' })}`
    })
    await expect.poll(() => reached).toEqual(['start'])
    expect((await session.end()).status).toBe(204)
    open()
    await call.then(
      (response) => response.text(),
      () => undefined,
    )
    await expect.poll(() => reached).toEqual(['start', 'end'])
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('a tombstone', () => {
  const NO_SHARD = {
    named: () => ({
      redeem: () => Promise.reject(new Error('unreachable')),
      isRedeemed: () => Promise.resolve(false),
    }),
  }

  it.each([
    ['without shards, until the id expires', undefined, 7 * DAY_MS],
    ['while its shard cannot be reached, for an hour', NO_SHARD, DAY_MS / 24],
  ])('is the only row of the session %s', async (_, shards, retryMs) => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    const expiresAt = Date.now() + 7 * DAY_MS
    const before = Date.now()
    const retryAt = await runInDurableObject(await session.stub(), async (_, ctx) => {
      const storage = new SessionStorage(ctx.storage)
      const tombstone = new Tombstone(shards, ctx.id, storage)
      const retryAt = await tombstone.leave(expiresAt)
      expect(tombstone.ownExpiry).toBe(expiresAt)
      return retryAt
    })
    expect(retryAt).toBeGreaterThanOrEqual(before + retryMs - 1000)
    expect(retryAt).toBeLessThanOrEqual(Math.min(expiresAt, Date.now() + retryMs))
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 1 })
    await evictDurableObject(await session.stub())
    expect((await session.send('ping')).status).toBe(404)
  })
})
