import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SingleFlight } from '../../src/platform/single-flight.ts'

const never = () => new Promise<string>(() => {})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('SingleFlight', () => {
  it('executes work once for concurrent callers, and again for later ones', async () => {
    const flight = new SingleFlight<string>(2000)
    const work = vi.fn(async () => 'one')
    await Promise.all([flight.run('a', work), flight.run('a', work), flight.run('b', work)])
    expect(work).toHaveBeenCalledTimes(2)
    await flight.run('a', work)
    expect(work).toHaveBeenCalledTimes(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shares a failure among concurrent callers', async () => {
    const flight = new SingleFlight<string>(2000)
    const work = vi.fn(() => Promise.reject(new Error('no')))
    const outcomes = await Promise.allSettled([flight.run('a', work), flight.run('a', work)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(work).toHaveBeenCalledTimes(1)
    expect(flight.isRunning('a')).toBe(false)
  })

  it('shares undefined as a value', async () => {
    const flight = new SingleFlight<undefined>(2000)
    const work = vi.fn(async () => undefined)
    expect(await Promise.all([flight.run('a', work), flight.run('a', work)])).toEqual([
      undefined,
      undefined,
    ])
    expect(work).toHaveBeenCalledTimes(1)
  })

  it('lets one follower execute the work when the first request was terminated', async () => {
    const flight = new SingleFlight<string>(2000)
    const first = flight.run('a', never)
    const second = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return 'second'
    })
    const followers = Promise.all([flight.run('a', second), flight.run('a', second)])
    await vi.advanceTimersByTimeAsync(1999)
    expect(second).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(11)
    expect(await followers).toEqual(['second', 'second'])
    expect(second).toHaveBeenCalledTimes(1)
    expect(await Promise.race([first, 'still waiting'])).toBe('still waiting')
  })

  it('does not follow an execution that started longer ago than any can take', async () => {
    let now = 0
    const flight = new SingleFlight<string>(2000, 5000, () => now)
    void flight.run('a', never)
    now = 4999
    expect(flight.isRunning('a')).toBe(true)
    now = 5000
    expect(flight.isRunning('a')).toBe(false)
    expect(await flight.run('a', async () => 'second')).toBe('second')
  })

  it('does not follow an execution that was detached', async () => {
    const flight = new SingleFlight<string>(2000)
    void flight.run('a', never)
    flight.detach()
    expect(await flight.run('a', async () => 'second')).toBe('second')
  })

  it('remembers at most a thousand executions', async () => {
    const flight = new SingleFlight<string>(2000)
    for (let index = 0; index < 1001; index += 1) void flight.run(`work-${index}`, never)
    expect([flight.isRunning('work-0'), flight.isRunning('work-1')]).toEqual([false, true])
    expect(flight.isRunning('work-1000')).toBe(true)
  })
})
