import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withAbortDeadline, withDeadline } from '../../src/platform/deadline.ts'

const never = () => new Promise<string>(() => {})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('withDeadline', () => {
  it('returns the value of a promise that settles in time and clears the timer', async () => {
    expect(await withDeadline(100, Promise.resolve('value'))).toBe('value')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('throws the error of a promise that rejects in time and clears the timer', async () => {
    await expect(withDeadline(100, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('returns undefined when the deadline passes, and not before', async () => {
    const outcome = withDeadline(100, never())
    await vi.advanceTimersByTimeAsync(99)
    expect(await Promise.race([outcome, 'waiting'])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toBeUndefined()
  })

  it('returns what onTimeout returns when the deadline passes', async () => {
    const outcome = withDeadline(100, never(), () => 'late')
    await vi.advanceTimersByTimeAsync(100)
    expect(await outcome).toBe('late')
  })

  it('throws what onTimeout throws when the deadline passes', async () => {
    const outcome = withDeadline(100, never(), () => {
      throw new DOMException('too late', 'TimeoutError')
    })
    const rejection = expect(outcome).rejects.toMatchObject({ name: 'TimeoutError' })
    await vi.advanceTimersByTimeAsync(100)
    await rejection
  })

  it('lets onTimeout release a value that arrives after the deadline', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const release = vi.fn()
    const outcome = withDeadline(100, promise, () => void promise.then(release))
    await vi.advanceTimersByTimeAsync(100)
    await outcome
    expect(release).not.toHaveBeenCalled()
    resolve('value')
    await vi.waitFor(() => expect(release).toHaveBeenCalledWith('value'))
  })
})

describe('withAbortDeadline', () => {
  it('aborts the signal when the deadline passes', async () => {
    let signal: AbortSignal | undefined
    const outcome = withAbortDeadline(100, (given) => {
      signal = given
      return never()
    })
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect(await outcome).toBeUndefined()
    expect(signal?.aborted).toBe(true)
  })

  it('aborts the signal when the work ends', async () => {
    let signal: AbortSignal | undefined
    const work = async (given: AbortSignal) => {
      signal = given
      return given.aborted
    }
    expect(await withAbortDeadline(100, work)).toBe(false)
    expect(signal?.aborted).toBe(true)
  })
})
