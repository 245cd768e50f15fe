import { describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../src/auth/fetch/guarded-fetch.ts'

/** A guarded fetch whose responses wait for `answer` or until the test is over. */
function open() {
  const clock = { now: 1_000_000 }
  const sent: string[] = []
  const pending: (() => void)[] = []
  let isHeld = false
  const fetch = createGuardedFetch({
    timeoutMs: 5000,
    now: () => clock.now,
    fetch: async (url) => {
      sent.push(url)
      if (isHeld) await new Promise<void>((resolve) => pending.push(resolve))
      return Response.json({})
    },
  })
  const get = async (url: string) => {
    const response = await fetch(url, 100)
    return response.ok ? 'ok' : response.failure
  }
  return {
    clock,
    sent,
    get,
    hold: () => {
      isHeld = true
    },
    answer: () => {
      isHeld = false
      for (const resolve of pending.splice(0)) resolve()
    },
  }
}

describe('requests to one host', () => {
  it('are at most 100 in a minute, on all paths together', async () => {
    const { clock, sent, get } = open()
    for (let n = 0; n < 100; n++) expect(await get(`https://a.example/${n}`)).toBe('ok')
    expect(await get('https://a.example/next')).toBe('unreachable')
    expect(await get('https://b.example/')).toBe('ok')
    clock.now += 59_999
    expect(await get('https://a.example/next')).toBe('unreachable')
    clock.now += 1
    expect(await get('https://a.example/next')).toBe('ok')
    expect(sent).toHaveLength(102)
  })

  it('are at most eight at the same time', async () => {
    const { sent, get, hold, answer } = open()
    hold()
    const first = Array.from({ length: 8 }, (_, n) => get(`https://a.example/${n}`))
    expect(await get('https://a.example/next')).toBe('unreachable')
    answer()
    expect(await Promise.all(first)).toEqual(Array(8).fill('ok'))
    expect(await get('https://a.example/next')).toBe('ok')
    expect(sent).toHaveLength(9)
  })

  it('do not count as running after their time limit, because their request may be terminated', async () => {
    const { clock, get, hold, answer } = open()
    hold()
    const first = Array.from({ length: 8 }, (_, n) => get(`https://a.example/${n}`))
    clock.now += 5000
    const next = get('https://a.example/next')
    answer()
    expect(await next).toBe('ok')
    await Promise.all(first)
  })
})
