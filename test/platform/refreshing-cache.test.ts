import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type CacheEntry,
  RefreshingCache,
  type RefreshingCacheOptions,
} from '../../src/platform/refreshing-cache.ts'

class RemovedError extends Error {}

type Load = () => Promise<string>
const loads =
  (value: string): Load =>
  async () =>
    value
const fails =
  (error: Error = new Error('load failed')): Load =>
  async () => {
    throw error
  }
const hangs: Load = () => new Promise(() => {})

let now = 0

/** A cache whose source gives these answers, one after another. Entries are fresh for 100 ms. */
function open(script: Load[], options: Partial<RefreshingCacheOptions<string>> = {}) {
  const load = vi.fn(async (_key: string, _previous: CacheEntry<string> | undefined) => {
    const answer = script.shift()
    if (answer === undefined) throw new Error('The source was asked too often')
    const value = await answer()
    return { value, loadedAt: now, freshUntil: now + 100 }
  })
  const cache = new RefreshingCache<string>({
    load,
    loadTimeoutMs: 5000,
    followTimeoutMs: 2000,
    maxStaleAgeMs: 1000,
    retryAfterMs: 50,
    maxEntries: 2,
    isRemoval: (error) => error instanceof RemovedError,
    now: () => now,
    ...options,
  })
  return { cache, load }
}

beforeEach(() => {
  now = 10_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('RefreshingCache: fresh entries', () => {
  it('returns an entry without loading it while it is fresh, and loads it once after', async () => {
    const { cache, load } = open([loads('one'), loads('two')])
    expect(await cache.get('a')).toBe('one')
    now += 99
    expect([await cache.get('a'), cache.fresh('a')]).toEqual(['one', 'one'])
    now += 1
    expect(cache.fresh('a')).toBeUndefined()
    expect(await cache.get('a')).toBe('two')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('passes the previous entry to the load', async () => {
    const { cache, load } = open([loads('one'), loads('two')])
    await cache.get('a')
    now += 100
    await cache.get('a')
    expect(load.mock.calls).toEqual([
      ['a', undefined],
      ['a', { value: 'one', loadedAt: 10_000, freshUntil: 10_100 }],
    ])
  })

  it('loads a fresh entry again when the request needs a younger one', async () => {
    const { cache } = open([loads('one'), loads('two')])
    await cache.get('a')
    now += 29
    expect(await cache.get('a', { maxAgeMs: 30 })).toBe('one')
    now += 1
    expect(await cache.get('a', { maxAgeMs: 30 })).toBe('two')
  })

  it('evicts the least recently used entry', async () => {
    const { cache } = open([loads('a'), loads('b'), loads('c')])
    for (const key of ['a', 'b', 'a', 'c']) await cache.get(key)
    expect(['a', 'b', 'c'].map((key) => cache.fresh(key))).toEqual(['a', undefined, 'c'])
  })
})

describe('RefreshingCache: concurrent requests', () => {
  it('share one load', async () => {
    const { cache, load } = open([loads('one')])
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['one', 'one'])
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('get the stale entry while one of them loads it again', async () => {
    const slow = Promise.withResolvers<string>()
    const { cache } = open([loads('old'), () => slow.promise])
    await cache.get('a')
    now += 100
    const loading = cache.get('a')
    expect(await cache.get('a')).toBe('old')
    slow.resolve('new')
    expect(await loading).toBe('new')
  })

  it('wait for the load when they need a younger entry than the stale one', async () => {
    const slow = Promise.withResolvers<string>()
    const { cache } = open([loads('old'), () => slow.promise])
    await cache.get('a')
    now += 100
    const both = Promise.all([cache.get('a'), cache.get('a', { maxAgeMs: 100 })])
    slow.resolve('new')
    expect(await both).toEqual(['new', 'new'])
  })

  it('wait for the load when the entry is too old to be returned stale', async () => {
    const slow = Promise.withResolvers<string>()
    const { cache } = open([loads('old'), () => slow.promise])
    await cache.get('a')
    now += 1000
    const both = Promise.all([cache.get('a'), cache.get('a')])
    slow.resolve('new')
    expect(await both).toEqual(['new', 'new'])
  })

  it('load once more when the request that loads was terminated', async () => {
    const { cache, load } = open([hangs, loads('one')])
    void cache.get('a')
    const followers = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')])
    await vi.advanceTimersByTimeAsync(2000)
    expect(await followers).toEqual(['one', 'one', 'one'])
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('share the failure of the load that replaces a terminated one', async () => {
    const { cache, load } = open([hangs, fails()])
    void cache.get('a')
    const followers = Promise.allSettled([cache.get('a'), cache.get('a'), cache.get('a')])
    await vi.advanceTimersByTimeAsync(2000)
    expect((await followers).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('load a stale entry again when the previous load exceeded its timeout', async () => {
    const { cache } = open([loads('old'), hangs, loads('new')], { maxStaleAgeMs: 60_000 })
    await cache.get('a')
    now += 100
    void cache.get('a')
    now += 4999
    expect(await cache.get('a')).toBe('old')
    now += 1
    expect(await cache.get('a')).toBe('new')
  })
})

describe('RefreshingCache: loads in the background', () => {
  /** The loads that outlive their requests, with their outcomes. */
  const kept = () => {
    const loads: Promise<unknown>[] = []
    return { loads, background: (load: Promise<unknown>) => void loads.push(load) }
  }

  it('return the stale entry at once, and the new one afterwards', async () => {
    const { cache } = open([loads('old'), loads('new')])
    await cache.get('a')
    now += 100
    const { background, loads: running } = kept()
    expect(await cache.get('a', { background })).toBe('old')
    await Promise.all(running)
    expect([running.length, cache.fresh('a')]).toEqual([1, 'new'])
  })

  it('are not used for a missing entry, one that is too old, and one past its end', async () => {
    const { cache } = open([loads('one'), loads('two'), loads('three')])
    const { background, loads: running } = kept()
    expect(await cache.get('a', { background })).toBe('one')
    now += 1000
    expect(await cache.get('a', { background })).toBe('two')
    cache.set('a', { value: 'x', loadedAt: now, freshUntil: now, usableUntil: now + 10 })
    now += 10
    expect(await cache.get('a', { background })).toBe('three')
    expect(running).toEqual([])
  })

  it('reject when the load fails, and delete the entry of a removed value', async () => {
    const { cache } = open([loads('old'), fails(new RemovedError('removed'))])
    await cache.get('a')
    now += 100
    const { background, loads: running } = kept()
    expect(await cache.get('a', { background })).toBe('old')
    await expect(running[0]).rejects.toThrow('removed')
    await expect(cache.get('a', { background })).rejects.toThrow('removed')
  })
})

describe('RefreshingCache: failures', () => {
  it('throws the error of the load and repeats it until the retry time', async () => {
    const { cache, load } = open([fails(), loads('one')])
    await expect(cache.get('a')).rejects.toThrow('load failed')
    now += 49
    await expect(cache.get('a')).rejects.toThrow('load failed')
    expect(load).toHaveBeenCalledTimes(1)
    now += 1
    expect(await cache.get('a')).toBe('one')
  })

  it('loads again at once when no retry time is set', async () => {
    const { cache } = open([fails(), loads('one')], { retryAfterMs: 0 })
    await expect(cache.get('a')).rejects.toThrow('load failed')
    expect(await cache.get('a')).toBe('one')
  })

  it('asks for the retry time of each error', async () => {
    const { cache, load } = open([fails(), fails(new RemovedError('removed')), loads('one')], {
      retryAfterMs: (error) => (error instanceof RemovedError ? 50 : 0),
    })
    for (const text of ['load failed', 'removed', 'removed']) {
      await expect(cache.get('a')).rejects.toThrow(text)
    }
    expect(load).toHaveBeenCalledTimes(2)
    now += 50
    expect(await cache.get('a')).toBe('one')
  })

  it('returns the stale entry until its maximum age', async () => {
    const { cache, load } = open([loads('old'), fails(), fails()])
    await cache.get('a')
    now += 100
    expect([await cache.get('a'), await cache.get('a')]).toEqual(['old', 'old'])
    expect(load).toHaveBeenCalledTimes(2)
    now = 10_999
    expect(await cache.get('a')).toBe('old')
    now = 11_000
    await expect(cache.get('a')).rejects.toThrow('load failed')
  })

  it('throws for a request that accepts no stale entry', async () => {
    const { cache } = open([loads('old'), fails()])
    await cache.get('a')
    now += 100
    await expect(cache.get('a', { maxAgeMs: 100, staleIfError: false })).rejects.toThrow()
    expect(await cache.get('a')).toBe('old')
  })

  it('deletes the entry when the error says that the value was removed', async () => {
    const { cache } = open([loads('old'), fails(new RemovedError('removed'))])
    await cache.get('a')
    now += 100
    await expect(cache.get('a')).rejects.toThrow('removed')
    await expect(cache.get('a')).rejects.toThrow('removed')
    expect(cache.peek('a')).toBeUndefined()
  })

  it('returns an entry that was set during a load that fails', async () => {
    const { cache } = open([
      async () => {
        cache.set('a', { value: 'stored', loadedAt: now - 500, freshUntil: now - 400 })
        throw new Error('load failed')
      },
    ])
    expect(await cache.get('a')).toBe('stored')
  })
})

describe('RefreshingCache: invalidation', () => {
  it('deletes the entries that match', async () => {
    const { cache } = open([loads('one'), loads('two')])
    await cache.get('a')
    await cache.get('b')
    cache.invalidate((value) => value === 'one')
    expect([cache.peek('a')?.value, cache.peek('b')?.value]).toEqual([undefined, 'two'])
  })

  it('does not cache or share the result of a load that began before', async () => {
    const slow = Promise.withResolvers<string>()
    const { cache } = open([() => slow.promise, loads('new')])
    const early = cache.get('a')
    cache.invalidate(() => true)
    expect(await cache.get('a')).toBe('new')
    slow.resolve('old')
    expect(await early).toBe('old')
    expect(await cache.get('a')).toBe('new')
  })
})
