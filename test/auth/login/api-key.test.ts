/** The login with an API key, without a server. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiKey, LoginError } from '../../../src/auth/index.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('apiKey()', () => {
  it('throws for options without verify and for an empty label', () => {
    expect(() => apiKey({} as never)).toThrow('apiKey() needs the function verify')
    expect(() => apiKey({ label: '', verify: () => undefined })).toThrow('must not be empty')
  })

  it('calls verify with the key and the environment', async () => {
    const verify = vi.fn(() => ({ subject: 'ada' }))
    expect(await apiKey({ verify }).verify('key-1', { region: 'eu' })).toEqual({
      subject: 'ada',
      name: undefined,
      props: { apiKey: 'key-1' },
    })
    expect(verify.mock.calls).toEqual([['key-1', { region: 'eu' }]])
  })

  it('does not let the props of an owner replace the key', async () => {
    const verify = () => ({ subject: 'ada', props: { apiKey: 'other', plan: 'pro' } })
    const person = await apiKey({ verify }).verify('key-1', {})
    expect(person?.props).toEqual({ apiKey: 'key-1', plan: 'pro' })
  })

  it.each([
    ['an empty key', ''],
    ['a key of 4,097 characters', 'k'.repeat(4097)],
    ['a key with a line feed', 'a\nb'],
    ['a key with a NUL', 'a\0b'],
    ['a key with a C1 control', 'a\u0085b'],
  ])('knows no owner of %s, and does not call verify', async (_, key) => {
    const verify = vi.fn(() => ({ subject: 'ada' }))
    expect(await apiKey({ verify }).verify(key, {})).toBeUndefined()
    expect(verify).not.toHaveBeenCalled()
  })

  it('accepts a key of 4,096 characters', async () => {
    const login = apiKey({ verify: () => ({ subject: 'ada' }) })
    expect((await login.verify('k'.repeat(4096), {}))?.subject).toBe('ada')
  })

  it('rejects when verify has not answered within 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const login = apiKey({ verify: () => new Promise(() => {}) })
    const outcome = login.verify('key-1', {}).catch(String)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(await Promise.race([outcome, 'waiting'])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toContain('took longer than 10000 ms')
  })

  it('keeps the class and the position of an error, and drops its message and its cause', async () => {
    const verify = () => {
      throw new RangeError('no quota for key-1', { cause: 'key-1' })
    }
    const error = await apiKey({ verify })
      .verify('key-1', {})
      .catch((error: unknown) => error)
    if (!(error instanceof Error)) throw new Error('No error')
    expect(error.message).toBe('The function verify of apiKey() threw an error (RangeError)')
    expect(error.cause).toBeUndefined()
    expect(error.stack).toMatch(/\n {4}at .*api-key\.test/)
    expect(error.stack).not.toContain('key-1')
  })

  it('keeps a LoginError without the key', async () => {
    const verify = () => {
      throw new LoginError('key-1 has expired', { cause: 'key-1' })
    }
    const error = await apiKey({ verify })
      .verify('key-1', {})
      .catch((error: unknown) => error)
    if (!(error instanceof LoginError)) throw new Error('No LoginError')
    expect([error.message, error.cause]).toEqual(['… has expired', undefined])
  })
})
