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
