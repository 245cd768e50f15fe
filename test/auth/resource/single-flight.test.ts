/** Work that several requests want, while the one that does it is slow, failing or cut off. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SingleFlight } from '../../../src/auth/resource/single-flight.ts'

const isSilent = () => new Promise<{ by: string }>(() => {})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('is done once for all who want it together, and again for those who come later', async () => {
  const shared = new SingleFlight<{ by: string }>(2000)
  const work = vi.fn(async () => ({ by: 'one' }))
  await Promise.all([shared.run('a', work), shared.run('a', work), shared.run('b', work)])
  expect(work).toHaveBeenCalledTimes(2)
  await shared.run('a', work)
  expect(work).toHaveBeenCalledTimes(3)
  expect(vi.getTimerCount()).toBe(0)
})

it('fails for all who wanted it together', async () => {
  const shared = new SingleFlight<{ by: string }>(2000)
  const work = vi.fn(() => Promise.reject(new Error('no')))
  const outcomes = await Promise.allSettled([shared.run('a', work), shared.run('a', work)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(work).toHaveBeenCalledTimes(1)
  expect(shared.isRunning('a')).toBe(false)
})

it('is done by a follower when the one who began it went away', async () => {
  const shared = new SingleFlight<{ by: string }>(2000)
  const gone = shared.run('a', isSilent)
  const second = vi.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return { by: 'second' }
  })
  const followers = Promise.all([shared.run('a', second), shared.run('a', second)])
  await vi.advanceTimersByTimeAsync(1999)
  expect(second).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(11)
  expect(await followers).toEqual([{ by: 'second' }, { by: 'second' }])
  expect(second).toHaveBeenCalledTimes(1)
  expect(await Promise.race([gone, 'still waiting'])).toBe('still waiting')
})

it('is followed by nobody any more once it is detached', async () => {
  const shared = new SingleFlight<{ by: string }>(2000)
  void shared.run('a', isSilent)
  shared.detach()
  expect(await shared.run('a', async () => ({ by: 'second' }))).toEqual({ by: 'second' })
})

it('keeps a thousand of those that never ended, and not one more', async () => {
  const shared = new SingleFlight<{ by: string }>(2000)
  for (let index = 0; index < 1001; index += 1) void shared.run(`work-${index}`, isSilent)
  expect([shared.isRunning('work-0'), shared.isRunning('work-1')]).toEqual([false, true])
  expect(shared.isRunning('work-1000')).toBe(true)
})
