/** When a stream whose client does not read ends, on an idle and on a busy machine. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ResponseStream } from '../../src/transport/sse/response-stream.ts'

const LIMITS = { keepAliveMs: 1000, sendBufferBytes: 1_000_000, writeStallMs: 30_000 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A stream that nothing reads, with the reason of its end. */
function openUnread() {
  const lost: string[] = []
  const stream = new ResponseStream(LIMITS, (reason) => lost.push(reason))
  stream.open()
  void stream.send('{}')
  return lost
}

/** Lets time pass in which the isolate was busy: the next timer fires late. */
function beBusy(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}

describe('a stream that is not read', () => {
  it('ends at the second check after writeStallMs', async () => {
    const lost = openUnread()
    await vi.advanceTimersByTimeAsync(31_000)
    expect(lost).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    expect(lost).toEqual(['stalled'])
  })

  it('does not end at a check that is late, because a busy isolate completes writes late too', async () => {
    const lost = openUnread()
    for (let check = 0; check < 20; check++) {
      beBusy(10_000)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(lost).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    expect(lost).toEqual(['stalled'])
  })
})
