// features: changes
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { createLatch } from '../../support/latch.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import type { SseReader, WireMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

// Frequent comments show soon that an idle stream is open.
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

/** Opens a standalone stream and reads its opening and priming events. */
async function listen(session: SessionClient): Promise<SseReader> {
  const stream = await session.listen()
  await stream.next()
  await stream.next()
  return stream
}

/** Publishes a change from a handler. */
async function change(session: SessionClient, what: 'tools' | 'prompts' | 'resources') {
  const response = await session.call(async ({ notify }) => {
    await notify[`${what}Changed`]()
    return 'done'
  })
  await response.body?.cancel()
}

describe('several standalone streams of one session', () => {
  it('deliver each change on the newest of them only', async () => {
    verifies('streamable-http/message-is-on-one-stream')
    const session = await openSession({}, app)
    const older = await listen(session)
    const newer = await listen(session)
    await change(session, 'tools')
    expect((await newer.message()).method).toBe('notifications/tools/list_changed')
    await newer.leave()
    let received: WireMessage
    void older.message().then((message) => {
      received = message
    })
    // A disconnected client is detected by a write, within one second.
    const changed = async () => {
      await change(session, 'prompts')
      return received?.method
    }
    await expect.poll(changed).toBe('notifications/prompts/list_changed')
    const sealOf = (id = '') => id.slice(0, id.lastIndexOf('~'))
    expect(sealOf(older.lastId)).toBe(sealOf(older.ids[0]))
    expect(sealOf(older.lastId)).not.toBe(sealOf(newer.lastId))
  })

  it('are at most eight: a ninth is refused with 429, and a resume replaces its own stream', async () => {
    const session = await openSession({}, app)
    const streams: SseReader[] = []
    for (let opened = 0; opened < 8; opened++) streams.push(await listen(session))
    const ninth = await session.get()
    expect([ninth.status, ninth.headers.get('retry-after')]).toEqual([429, '30'])
    const resumed = await session.listen(streams[0]?.lastId)
    expect(await streams[0]?.message()).toBeUndefined()
    expect(await streams[1]?.next()).toEqual({ comment: 'keepalive' })
    await change(session, 'tools')
    expect((await resumed.message())?.method).toBe('notifications/tools/list_changed')
    await streams[7]?.leave()
    const status = async () => {
      const { status, body } = await session.get()
      await body?.cancel()
      return status
    }
    await expect.poll(status).toBe(200)
  })

  it('end for a new one when they had no heartbeat for 30 seconds', async () => {
    const session = await openSession({}, app)
    const streams: SseReader[] = []
    for (let opened = 0; opened < 8; opened++) streams.push(await listen(session))
    advanceClock(29_000)
    expect((await session.get()).status).toBe(429)
    advanceClock(3000)
    const ninth = await listen(session)
    expect(await streams[0]?.message()).toBeUndefined()
    await change(session, 'tools')
    expect((await ninth.message())?.method).toBe('notifications/tools/list_changed')
  })

  it('stay open when one of them is resumed', async () => {
    const session = await openSession({}, app)
    const first = await listen(session)
    const second = await listen(session)
    const again = await session.listen(first.lastId)
    expect(await first.next()).toBeUndefined()
    await change(session, 'tools')
    expect((await again.message()).method).toBe('notifications/tools/list_changed')
    expect(await second.next()).toEqual({ comment: 'keepalive' })
  })

  it('are counted without the streams of calls', async () => {
    const session = await openSession({}, app)
    const { wait, open } = createLatch()
    const idle = await listen(session)
    const calls = await Promise.all(
      Array.from({ length: 9 }, () =>
        session.stream(async ({ log, signal }) => {
          await log('info', 'one')
          await wait(signal)
          return 'done'
        }),
      ),
    )
    await change(session, 'tools')
    expect((await idle.message()).method).toBe('notifications/tools/list_changed')
    open()
    for (const call of calls) expect(await call.rest()).toHaveLength(2)
  })
})

describe('a standalone stream', () => {
  it('delivers changes that were published while no client was connected when it is resumed', async () => {
    const session = await openSession({}, app)
    const stream = await listen(session)
    await change(session, 'tools')
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    await stream.leave()
    await change(session, 'prompts')
    await change(session, 'resources')
    const back = await session.listen(stream.lastId)
    expect([(await back.message()).method, (await back.message()).method]).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ])
  })

  it('delivers changes since its priming event when it is resumed without any other event', async () => {
    const session = await openSession({}, app)
    const stream = await listen(session)
    await stream.leave()
    await change(session, 'tools')
    const back = await session.listen(stream.lastId)
    expect((await back.message()).method).toBe('notifications/tools/list_changed')
  })

  it('replays its own changes and none of another stream', async () => {
    verifies('streamable-http/no-response-on-a-standalone-stream')
    verifies('streamable-http/replay-is-of-one-stream')
    const session = await openSession({}, app)
    const first = await listen(session)
    await change(session, 'tools')
    await first.message()
    const second = await listen(session)
    await change(session, 'prompts')
    await second.message()
    const again = await session.listen(first.ids[0])
    expect((await again.message()).method).toBe('notifications/tools/list_changed')
    expect(await again.next()).toEqual({ comment: 'keepalive' })
  })

  it('contains no message of a call', async () => {
    verifies('streamable-http/no-response-on-a-standalone-stream')
    const session = await openSession({}, app)
    const stream = await listen(session)
    const call = await session.stream(async ({ listRoots, log }) => {
      await log('info', 'asking')
      return `${(await listRoots()).length}`
    })
    await call.message()
    await session.answer(await call.message(), { roots: [] })
    expect((await call.message()).result.content[0].text).toBe('0')
    expect(await stream.next()).toEqual({ comment: 'keepalive' })
  })

  it('contains no update of a resource that only another session subscribed to', async () => {
    const [asking, other] = [await openSession({}, app), await openSession({}, app)]
    const [mine, theirs] = [await listen(asking), await listen(other)]
    await asking.request('resources/subscribe', { uri: 'note://a' })
    await other.call(async ({ notify }) => {
      await notify.resourceUpdated('note://a')
      return 'done'
    })
    expect((await mine.message()).params).toEqual({ uri: 'note://a' })
    expect(await theirs.next()).toEqual({ comment: 'keepalive' })
  })
})

describe('DELETE', () => {
  it('ends all open streams of the session', async () => {
    const session = await openSession({}, app)
    const { wait } = createLatch()
    let reason: unknown
    const idle = await listen(session)
    const call = await session.stream(async ({ log, signal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
      })
      await log('info', 'one')
      await wait(signal)
      return 'done'
    })
    await call.message()
    const asking = await session.stream(async ({ listRoots }) => `${await listRoots()}`)
    expect((await asking.message()).method).toBe('roots/list')
    expect((await session.end()).status).toBe(204)
    expect(await idle.message()).toBeUndefined()
    expect(await call.message()).toBeUndefined()
    expect(await asking.message()).toBeUndefined()
    await expect.poll(() => reason).toMatchObject({ name: 'AbortError' })
    for (const { lastId } of [idle, call, asking]) {
      expect((await session.get(lastId)).status).toBe(404)
    }
  })

  it('ends a call whose client accepts only JSON', async () => {
    const session = await openSession({}, app)
    const { wait } = createLatch()
    let started = false
    const call = session.call(
      async ({ signal }) => {
        started = true
        await wait(signal)
        return 'done'
      },
      { headers: { accept: 'application/json' } },
    )
    await expect.poll(() => started).toBe(true)
    await session.end()
    const response = await call
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ id: 1, error: {} })
  })
})
