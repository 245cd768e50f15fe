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

describe('a stream whose client has read everything', () => {
  /** A stream and its reader, which has read the opening and a message for which it waited. */
  async function openRead() {
    const lost: string[] = []
    const stream = new ResponseStream(LIMITS, (reason) => lost.push(reason))
    const reader = stream.open().getReader()
    const next = async () => new TextDecoder().decode((await reader.read()).value)
    expect(await next()).toBe(': open\n\n')
    const first = next()
    await stream.send('1')
    expect(await first).toContain('data: 1\n')
    return { lost, stream, next, end: async () => (await reader.read()).done }
  }

  it('ends when its client stops reading, although the platform has the message already', async () => {
    const { lost, stream } = await openRead()
    void stream.send('2')
    await vi.advanceTimersByTimeAsync(31_000)
    expect(lost).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    expect(lost).toEqual(['stalled'])
  })

  it('delivers messages in order that are sent while the client does not wait, each once', async () => {
    const { lost, stream, next, end } = await openRead()
    const taken: string[] = []
    const sent = ['2', '3', '4'].map((json) => stream.send(json).then(() => taken.push(json)))
    await Promise.resolve()
    expect(taken).toEqual([])
    for (const json of ['2', '3', '4']) expect(await next()).toContain(`data: ${json}\n`)
    void stream.close()
    expect(await end()).toBe(true)
    await Promise.all(sent)
    expect(taken).toEqual(['2', '3', '4'])
    expect(lost).toEqual([])
  })

  it('resolves what waits when it is aborted', async () => {
    const { stream } = await openRead()
    const sent = ['2', '3'].map((json) => stream.send(json))
    stream.abandon('stalled')
    await expect(Promise.all(sent)).resolves.toEqual([undefined, undefined])
  })
})
