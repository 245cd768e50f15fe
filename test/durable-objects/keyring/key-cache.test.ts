/** The key cache of one isolate, while the keyring object is slow, silent or failing. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeyCache } from '../../../durable-objects/keyring/key-cache.ts'
import type { KeyringKey } from '../../../durable-objects/keyring/seal-key.ts'
import { HOUR_MS, NOON } from './keyring.ts'

type Answer = () => Promise<readonly KeyringKey[]>

const listOf = (id: string): readonly KeyringKey[] => [
  { id, secret: new Uint8Array(32), usedFrom: NOON, acceptedUntil: undefined },
]
const answers =
  (id: string): Answer =>
  async () =>
    listOf(id)
const fails =
  (properties: object = {}): Answer =>
  async () => {
    throw Object.assign(new Error('the object failed'), properties)
  }
const neverAnswers: Answer = () => new Promise(() => {})

/** A cache whose object returns these answers, one per call. */
function openCache(...script: Answer[]) {
  const object = vi.fn(() => {
    const answer = script.shift()
    if (answer === undefined) throw new Error('The object was called too often')
    return answer()
  })
  const keys = createKeyCache(object, Date.now)
  const idsOf = async () => (await keys()).map(({ id }) => id).join()
  return { object, idsOf }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOON })
})
afterEach(() => {
  // Spies first: they restore the timers they replaced, which are the fake ones.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the key cache', () => {
  it('loads the keys once for concurrent requests', async () => {
    const { object, idsOf } = openCache(answers('a'))
    expect(await Promise.all([idsOf(), idsOf(), idsOf()])).toEqual(['a', 'a', 'a'])
    expect(object).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shares a failure, and does not call the object again for one second', async () => {
    const { object, idsOf } = openCache(fails(), answers('a'))
    const outcomes = await Promise.allSettled([idsOf(), idsOf(), idsOf()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    vi.setSystemTime(NOON + 999)
    await expect(idsOf()).rejects.toThrow('the object failed')
    expect(object).toHaveBeenCalledTimes(1)
    vi.setSystemTime(NOON + 1000)
    expect(await idsOf()).toBe('a')
  })

  it('calls the object again at once when the error is retryable', async () => {
    const { object, idsOf } = openCache(fails({ retryable: true }), answers('a'))
    expect(await idsOf()).toBe('a')
    expect(object).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['the second call fails too', [fails({ retryable: true }), fails({ retryable: true })], 2],
    ['the object is overloaded', [fails({ retryable: true, overloaded: true })], 1],
  ] as const)('throws the error when %s', async (_, script, times) => {
    const { object, idsOf } = openCache(...script)
    await expect(idsOf()).rejects.toThrow('the object failed')
    expect(object).toHaveBeenCalledTimes(times)
  })

  it('throws after 15 seconds when the object does not answer and no keys are cached', async () => {
    const { idsOf } = openCache(neverAnswers)
    const outcome = expect(idsOf()).rejects.toThrow('did not answer in time')
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await Promise.race([outcome, 'waits'])).toBe('waits')
    await vi.advanceTimersByTimeAsync(1)
    await outcome
  })

  it('loads again for requests that followed a terminated one', async () => {
    // The timers of a terminated request do not fire. Only those of its followers do.
    const { object, idsOf } = openCache(neverAnswers, answers('a'))
    const abandoned = vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce(0 as never)
    const terminated = idsOf()
    abandoned.mockRestore()
    const followers = Promise.all([idsOf(), idsOf(), idsOf()])
    await vi.advanceTimersByTimeAsync(2000)
    expect(await followers).toEqual(['a', 'a', 'a'])
    expect(object).toHaveBeenCalledTimes(2)
    expect(await Promise.race([terminated, 'pending'])).toBe('pending')
  })

  it('returns the cached keys while another request loads new ones', async () => {
    let answer = (_: readonly KeyringKey[]) => {}
    const slow: Answer = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const { idsOf } = openCache(answers('old'), slow)
    await idsOf()
    vi.setSystemTime(NOON + HOUR_MS)
    const refreshing = idsOf()
    expect(await Promise.all([idsOf(), idsOf()])).toEqual(['old', 'old'])
    answer(listOf('new'))
    expect(await refreshing).toBe('new')
    expect(await idsOf()).toBe('new')
  })

  it('returns the cached keys for twelve more hours when loading fails or times out', async () => {
    const { object, idsOf } = openCache(answers('old'), fails(), neverAnswers, fails())
    await idsOf()
    vi.setSystemTime(NOON + HOUR_MS)
    expect(await idsOf()).toBe('old')
    expect(await idsOf()).toBe('old')
    expect(object).toHaveBeenCalledTimes(2)

    vi.setSystemTime(NOON + 2 * HOUR_MS)
    const waiting = idsOf()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await waiting).toBe('old')

    vi.setSystemTime(NOON + 13 * HOUR_MS)
    await expect(idsOf()).rejects.toThrow('the object failed')
  })

  it('loads again after a terminated request did not finish its load', async () => {
    const { idsOf } = openCache(answers('old'), neverAnswers, answers('new'))
    await idsOf()
    vi.setSystemTime(NOON + HOUR_MS)
    const abandoned = vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce(0 as never)
    void idsOf()
    abandoned.mockRestore()
    vi.setSystemTime(NOON + HOUR_MS + 14_999)
    expect(await idsOf()).toBe('old')
    vi.setSystemTime(NOON + HOUR_MS + 15_000)
    expect(await idsOf()).toBe('new')
  })
})
