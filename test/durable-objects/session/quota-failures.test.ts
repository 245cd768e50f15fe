/** What a session does when the list of its person cannot be reached: it stays counted no longer than the failure. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ClientState } from '../../../durable-objects/session/client-state.ts'
import { SessionLifetime } from '../../../durable-objects/session/lifetime.ts'
import { SessionQuota } from '../../../durable-objects/session/session-quota.ts'
import { SessionStorage } from '../../../durable-objects/session/session-storage.ts'
import { Tombstone } from '../../../durable-objects/session/tombstone.ts'
import type { Services } from '../../../src/ports/services.ts'
import type { AuthInfo } from '../../../src/protocol/auth-info.ts'
import { openSession } from '../../support/session-client.ts'

const DAY_MS = 86_400_000
const HOUR_MS = DAY_MS / 24

const AUTH: AuthInfo = {
  subject: 'ada',
  clientId: 'client-1',
  scopes: [],
  issuer: 'https://mcp.example.com',
  resource: 'https://mcp.example.com/mcp',
}

type Method = 'enterSession' | 'leaveSession' | 'redeem' | 'isRedeemed'

/** A keyring whose methods fail while they are named in `failing`. */
function createKeyring() {
  const failing = new Set<Method>()
  /** The lists that have the session. */
  const lists = new Set<string>()
  const names = new Set<string>()
  const excess: { readonly name: string; readonly expiresAt: number }[] = []
  const reach = (method: Method) => {
    if (failing.has(method)) throw new Error(`${method} is unreachable`)
  }
  const shard = {
    async enterSession(person: string) {
      reach('enterSession')
      lists.add(person)
      return excess
    },
    async leaveSession(person: string) {
      reach('leaveSession')
      lists.delete(person)
    },
    async redeem(name: string) {
      reach('redeem')
      names.add(name)
      return true
    },
    async isRedeemed(name: string) {
      reach('isRedeemed')
      return names.has(name)
    },
  }
  return { failing, lists, excess, shards: { named: () => shard } }
}

/** A stay in memory of a session object with rows, whose keyring is that of the test. */
async function openQuota() {
  const session = await openSession()
  await session.request('logging/setLevel', { level: 'debug' })
  const stub = await session.stub()
  onTestFinished(() => evictDurableObject(stub))
  const keyring = createKeyring()
  const errors: unknown[] = []
  const terminated: string[] = []
  async function parts(state: DurableObjectState) {
    const storage = new SessionStorage(state.storage)
    const client = new ClientState(storage)
    const tombstone = new Tombstone(keyring.shards, state.id, storage)
    const background: Promise<unknown>[] = []
    const terminate = async ({ name }: { readonly name: string }) => terminated.push(name)
    const services = { sessions: () => ({ terminate }) } as unknown as Services
    const observed = {
      storage: state.storage,
      waitUntil: (work: Promise<unknown>) => void background.push(work),
      blockConcurrencyWhile: <T>(work: () => Promise<T>) => state.blockConcurrencyWhile(work),
    }
    const quota = new SessionQuota(keyring.shards, {
      storage,
      client,
      limits: { perPrincipal: 100 },
      deployment: { audience: 'sessions', services },
    })
    const lifetime = new SessionLifetime({
      state: observed as unknown as DurableObjectState,
      storage,
      client,
      tombstone,
      quota,
      report: (error) => errors.push(error),
    })
    /** Until the work in the background has ended. */
    const settle = async () => {
      await Promise.all(background)
    }
    const count = async () => {
      lifetime.count(AUTH)
      await settle()
    }
    const stored = async () => ({
      settings: Object.keys(storedSettings(state)),
      alarm: await state.storage.getAlarm(),
    })
    return { storage, lifetime, count, settle, stored }
  }
  type Parts = Awaited<ReturnType<typeof parts>>
  const stay = <Result>(work: (parts: Parts) => Promise<Result>) =>
    runInDurableObject(stub, async (_, state) => work(await parts(state)))
  return { keyring, errors, terminated, stay }
}

function storedSettings({ storage }: DurableObjectState): Record<string, string> {
  const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'settings'")
  if (tables.toArray().length === 0) return {}
  const rows = storage.sql
    .exec<{ name: string; value: string }>('SELECT name, value FROM settings ORDER BY name')
    .toArray()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

describe('a session that ends while the list of its person cannot be reached', () => {
  it.each([
    ['and its tombstone cannot either', ['leaveSession', 'redeem'] as const],
    ['and its tombstone can', ['leaveSession'] as const],
  ])('%s leaves the list at the alarm after an hour', async (_, failing) => {
    const { keyring, errors, stay } = await openQuota()
    await stay(({ count }) => count())
    expect(keyring.lists.size).toBe(1)
    for (const method of failing) keyring.failing.add(method)
    const expiresAt = Date.now() + 7 * DAY_MS
    const before = Date.now()
    await stay(async ({ lifetime, settle, stored }) => {
      await lifetime.end(expiresAt)
      await settle()
      const { settings, alarm } = await stored()
      expect(settings).toEqual(['claims', 'ended-until', 'principal'])
      expect(alarm).toBeGreaterThanOrEqual(before + HOUR_MS - 1000)
      expect(alarm).toBeLessThanOrEqual(Date.now() + HOUR_MS)
    })
    expect(keyring.lists.size).toBe(1)
    expect(errors).toEqual([new Error('leaveSession is unreachable')])
    keyring.failing.clear()
    await stay(async ({ lifetime, settle, stored }) => {
      expect(await lifetime.isEnded()).toBe(true)
      expect(await lifetime.isLiveAtAlarm(Date.now())).toBe(false)
      await settle()
      expect((await stored()).settings).toEqual([])
    })
    expect(keyring.lists.size).toBe(0)
  })
})

describe('a session whose rows are deleted while the list of its person cannot be reached', () => {
  it('is not ended, and leaves the list at the alarm after an hour', async () => {
    const { keyring, stay } = await openQuota()
    await stay(({ count }) => count())
    keyring.failing.add('leaveSession')
    await stay(async ({ lifetime, settle, stored }) => {
      await lifetime.deleteUnused()
      await settle()
      const { settings, alarm } = await stored()
      expect(settings).toEqual(['claims', 'principal'])
      expect(alarm).toBeLessThanOrEqual(Date.now() + HOUR_MS)
    })
    keyring.failing.clear()
    await stay(async ({ lifetime, settle, stored }) => {
      expect(await lifetime.isLiveAtAlarm(Date.now())).toBe(true)
      await lifetime.deleteUnused()
      await settle()
      expect((await stored()).settings).toEqual([])
    })
    expect(keyring.lists.size).toBe(0)
  })
})
