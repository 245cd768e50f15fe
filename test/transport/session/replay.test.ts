import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

const textsOf = (messages: readonly WireMessage[]) =>
  messages.map(({ params, result }) => params?.data ?? result.content[0].text)

/** A handler that logs three messages, the last after `open`. */
function threeMessages() {
  const { wait, open } = createLatch()
  const handler: Handler = async ({ log, signal }) => {
    await log('info', 'one')
    await log('info', 'two')
    await wait(signal)
    await log('info', 'three')
    return 'done'
  }
  return { handler, open }
}

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
  'the stream of a call under %s',
  (version) => {
    it('is replayed after any of its events when it has ended', async () => {
      const session = await openSession({ version })
      const { handler, open } = threeMessages()
      open()
      const call = await session.stream(handler)
      expect(textsOf(await call.rest())).toEqual(['one', 'two', 'three', 'done'])
      const replayed = await Promise.all(
        call.ids.slice(-4, -1).map(async (id) => textsOf(await (await session.listen(id)).rest())),
      )
      expect(replayed).toEqual([['two', 'three', 'done'], ['three', 'done'], ['done']])
    })

    it('resumes after the last received event while the call runs', async () => {
      const session = await openSession({ version })
      const { handler, open } = threeMessages()
      const call = await session.stream(handler)
      expect(textsOf([await call.message()])).toEqual(['one'])
      const { lastId } = call
      await call.leave()
      const back = await session.listen(lastId)
      expect(textsOf([await back.message()])).toEqual(['two'])
      open()
      expect(textsOf(await back.rest())).toEqual(['three', 'done'])
    })

    it('is replayed with the same event numbers', async () => {
      const session = await openSession({ version })
      const { handler, open } = threeMessages()
      open()
      const call = await session.stream(handler)
      await call.rest()
      const [one = '', ...later] = call.ids.slice(-4)
      const back = await session.listen(one)
      await back.rest()
      const numbers = (ids: readonly string[]) => ids.map((id) => id.split('~')[1])
      expect(numbers(back.ids).slice(-3)).toEqual(numbers(later))
      const again = await session.listen(back.ids.at(-2))
      expect(textsOf(await again.rest())).toEqual(['done'])
    })

    it('contains only the messages of its own request', async () => {
      verifies('streamable-http/replay-is-of-one-stream')
      const session = await openSession({ version })
      const first = threeMessages()
      const second = threeMessages()
      const one = await session.stream(first.handler)
      const two = await session.stream(second.handler, { id: 'two' })
      expect(textsOf([await one.message(), await two.message()])).toEqual(['one', 'one'])
      second.open()
      expect((await two.rest()).at(-1).id).toBe('two')
      first.open()
      expect((await one.rest()).at(-1).id).toBe(1)
      const back = await (await session.listen(two.ids.at(-2))).rest()
      expect(back.map(({ id }) => id)).toEqual(['two'])
    })

    it('contains the response when the client disconnected before it', async () => {
      const session = await openSession({ version })
      const { wait, open } = createLatch()
      let aborted = false
      const call = await session.stream(async ({ log, signal }) => {
        await log('info', 'one')
        await wait()
        aborted = signal.aborted
        return 'done'
      })
      expect(textsOf([await call.message()])).toEqual(['one'])
      await call.leave()
      open()
      const back = await session.listen(call.lastId)
      expect(textsOf(await back.rest())).toEqual(['done'])
      expect(aborted).toBe(false)
    })
  },
)

describe('a second connection to a stream', () => {
  it('ends the first connection', async () => {
    const session = await openSession()
    const { handler, open } = threeMessages()
    const call = await session.stream(handler)
    expect(textsOf([await call.message(), await call.message()])).toEqual(['one', 'two'])
    const second = await session.listen(call.lastId)
    expect(await call.next()).toBeUndefined()
    const third = await session.listen(call.ids[0])
    expect(textsOf([await third.message(), await third.message()])).toEqual(['one', 'two'])
    expect(await second.message()).toBeUndefined()
    open()
    expect(textsOf(await third.rest())).toEqual(['three', 'done'])
  })
})

describe('closeStream', () => {
  it('ends the connection of a call, and the client polls for the response', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ closeStream, log, signal }) => {
      await log('info', 'one')
      closeStream()
      await wait(signal)
      return 'done'
    })
    expect(textsOf(await call.rest())).toEqual(['one'])
    const poll = await session.listen(call.lastId)
    open()
    expect(textsOf(await poll.rest())).toEqual(['done'])
  })

  it('opens a stream with a priming event for a call that has sent nothing', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ closeStream, signal }) => {
      closeStream()
      await wait(signal)
      return 'done'
    })
    expect(await call.rest()).toEqual([])
    expect(call.ids).toHaveLength(1)
    open()
    const poll = await session.listen(call.lastId)
    expect(textsOf(await poll.rest())).toEqual(['done'])
  })

  it('can be called again on every connection', async () => {
    const session = await openSession()
    const steps = [createLatch(), createLatch()]
    const call = await session.stream(async ({ closeStream, log, signal }) => {
      for (const { wait } of steps) {
        closeStream()
        await wait(signal)
        await log('info', 'waited')
      }
      return 'done'
    })
    expect(await call.rest()).toEqual([])
    const second = await session.listen(call.lastId)
    steps[0]?.open()
    expect(textsOf(await second.rest())).toEqual(['waited'])
    const third = await session.listen(second.lastId)
    steps[1]?.open()
    expect(textsOf(await third.rest())).toEqual(['waited', 'done'])
  })

  it.each(['2025-03-26', '2025-06-18'])(
    'has no effect under %s, whose streams have no priming event to resume from',
    async (version) => {
      const session = await openSession({ version })
      const response = await session.call(({ closeStream }) => {
        closeStream()
        return 'done'
      })
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(textOf(await response.json())).toBe('done')
    },
  )

  it('has no effect for a client that accepts only JSON', async () => {
    const session = await openSession()
    const response = await session.call(
      ({ closeStream }) => {
        closeStream()
        return 'done'
      },
      { headers: { accept: 'application/json' } },
    )
    expect(textOf(await response.json())).toBe('done')
  })
})

describe('the form of an answer in a session', () => {
  const EVENT_STREAM = 'text/event-stream'

  it('is a stream for a quick call when Accept names only event streams', async () => {
    const session = await openSession()
    const call = await session.stream(() => 'done', { headers: { accept: EVENT_STREAM } })
    expect(textsOf(await call.rest())).toEqual(['done'])
    expect(textsOf(await (await session.listen(call.ids[0])).rest())).toEqual(['done'])
  })

  it('is a stream when the call takes longer than streamAfterMs', async () => {
    verifies('streamable-http/answer-is-json-or-a-stream')
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ signal }) => {
      await wait(signal)
      return 'done'
    })
    open()
    expect(textsOf(await call.rest())).toEqual(['done'])
  })

  it('is JSON for a call with notifications when Accept names only JSON', async () => {
    verifies('streamable-http/answer-is-json-or-a-stream')
    const session = await openSession()
    const response = await session.call(
      async ({ log }) => {
        await log('info', 'not sent')
        await new Promise((resolve) => setTimeout(resolve, 1))
        return 'done'
      },
      { headers: { accept: 'application/json' } },
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(textOf(await response.json())).toBe('done')
  })
})
