/** The keys of one isolate, while the object is slow, silent or failing. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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
const isSilent: Answer = () => new Promise(() => {})

/** A cache whose object gives these answers, one after another. */
function openCache(...script: Answer[]) {
  const object = vi.fn(() => {
    const answer = script.shift()
    if (answer === undefined) throw new Error('The object was asked too often')
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
  vi.useRealTimers()
})

it('shares one load', async () => {
  const { object, idsOf } = openCache(answers('a'))
  expect(await Promise.all([idsOf(), idsOf(), idsOf()])).toEqual(['a', 'a', 'a'])
  expect(object).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})

it('shares a failure, leaves the object alone for a second, then asks again', async () => {
  const { object, idsOf } = openCache(fails(), answers('a'))
  const outcomes = await Promise.allSettled([idsOf(), idsOf(), idsOf()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  vi.setSystemTime(NOON + 999)
  await expect(idsOf()).rejects.toThrow('the object failed')
  expect(object).toHaveBeenCalledTimes(1)
  vi.setSystemTime(NOON + 1000)
  expect(await idsOf()).toBe('a')
})

it('asks again at once where the platform says that it may', async () => {
  const { object, idsOf } = openCache(fails({ retryable: true }), answers('a'))
  expect(await idsOf()).toBe('a')
  expect(object).toHaveBeenCalledTimes(2)
})

it.each([
  ['the second time fails too', [fails({ retryable: true }), fails({ retryable: true })], 2],
  ['the object has too much to do', [fails({ retryable: true, overloaded: true })], 1],
] as const)('does not ask on when %s', async (_, script, times) => {
  const { object, idsOf } = openCache(...script)
  await expect(idsOf()).rejects.toThrow('the object failed')
  expect(object).toHaveBeenCalledTimes(times)
})

it('gives up on an object that does not answer', async () => {
  const { idsOf } = openCache(isSilent)
  const outcome = expect(idsOf()).rejects.toThrow('did not answer in time')
  await vi.advanceTimersByTimeAsync(5000)
  await outcome
})

it('loads for those who followed a request that went away', async () => {
  // Timers of a request that has gone do not fire either: only its followers' are left.
  const { object, idsOf } = openCache(isSilent, answers('a'))
  const abandoned = vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce(0 as never)
  const gone = idsOf()
  abandoned.mockRestore()
  const followers = Promise.all([idsOf(), idsOf(), idsOf()])
  await vi.advanceTimersByTimeAsync(2000)
  expect(await followers).toEqual(['a', 'a', 'a'])
  expect(object).toHaveBeenCalledTimes(2)
  expect(await Promise.race([gone, 'still waiting'])).toBe('still waiting')
})

it('goes by the old list while one request fetches the new one', async () => {
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

it('goes by the old list when the refresh fails or hangs, for twelve hours', async () => {
  const { object, idsOf } = openCache(answers('old'), fails(), isSilent, fails())
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

it('asks again after a refresh that was abandoned', async () => {
  const { idsOf } = openCache(answers('old'), isSilent, answers('new'))
  await idsOf()
  vi.setSystemTime(NOON + HOUR_MS)
  const abandoned = vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce(0 as never)
  void idsOf()
  abandoned.mockRestore()
  vi.setSystemTime(NOON + HOUR_MS + 4999)
  expect(await idsOf()).toBe('old')
  vi.setSystemTime(NOON + HOUR_MS + 5000)
  expect(await idsOf()).toBe('new')
})
