import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import type { WireMessage } from '../../support/sse-reader.ts'

const saidBy = (messages: readonly WireMessage[]) =>
  messages.map(({ params, result }) => params?.data ?? result.content[0].text)

/** Says three things, the last of them once it may. */
function threeThings() {
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

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('under %s, a stream', (version) => {
  it('that has ended is read again from any of its events', async () => {
    const session = await openSession({ version })
    const { handler, open } = threeThings()
    open()
    const call = await session.stream(handler)
    expect(saidBy(await call.rest())).toEqual(['one', 'two', 'three', 'done'])
    const said = await Promise.all(
      call.ids.slice(-4).map(async (id) => saidBy(await (await session.listen(id)).rest())),
    )
    expect(said).toEqual([['two', 'three', 'done'], ['three', 'done'], ['done'], []])
  })

  it('that is open is taken up where it broke off, and goes on', async () => {
    const session = await openSession({ version })
    const { handler, open } = threeThings()
    const call = await session.stream(handler)
    expect(saidBy([await call.message()])).toEqual(['one'])
    const { lastId } = call
    await call.leave()
    const back = await session.listen(lastId)
    expect(saidBy([await back.message()])).toEqual(['two'])
    open()
    expect(saidBy(await back.rest())).toEqual(['three', 'done'])
  })

  it('is read again under the ids it had', async () => {
    const session = await openSession({ version })
    const { handler, open } = threeThings()
    open()
    const call = await session.stream(handler)
    await call.rest()
    const [one = '', ...later] = call.ids.slice(-4)
    const back = await session.listen(one)
    await back.rest()
    const numbers = (ids: readonly string[]) => ids.map((id) => id.split('~')[1])
    expect(numbers(back.ids).slice(-3)).toEqual(numbers(later))
    const again = await session.listen(back.ids.at(-2))
    expect(saidBy(await again.rest())).toEqual(['done'])
  })

  it('has only what belongs to its own request', async () => {
    const session = await openSession({ version })
    const first = threeThings()
    const second = threeThings()
    const one = await session.stream(first.handler)
    const two = await session.stream(second.handler, { id: 'two' })
    expect(saidBy([await one.message(), await two.message()])).toEqual(['one', 'one'])
    second.open()
    expect((await two.rest()).at(-1).id).toBe('two')
    first.open()
    expect((await one.rest()).at(-1).id).toBe(1)
    const back = await (await session.listen(two.ids.at(-2))).rest()
    expect(back.map(({ id }) => id)).toEqual(['two'])
  })

  it('is given its result although its client left at once', async () => {
    const session = await openSession({ version })
    const { wait, open } = createLatch()
    let aborted = false
    const call = await session.stream(async ({ log, signal }) => {
      await log('info', 'one')
      await wait()
      aborted = signal.aborted
      return 'done'
    })
    expect(saidBy([await call.message()])).toEqual(['one'])
    await call.leave()
    open()
    const back = await session.listen(call.lastId)
    expect(saidBy(await back.rest())).toEqual(['done'])
    expect(aborted).toBe(false)
  })
})

describe('a second connection to a stream', () => {
  it('takes the place of the first, which ends', async () => {
    const session = await openSession()
    const { handler, open } = threeThings()
    const call = await session.stream(handler)
    expect(saidBy([await call.message(), await call.message()])).toEqual(['one', 'two'])
    const second = await session.listen(call.lastId)
    expect(await call.next()).toBeUndefined()
    const third = await session.listen(call.ids[0])
    expect(saidBy([await third.message(), await third.message()])).toEqual(['one', 'two'])
    expect(await second.message()).toBeUndefined()
    open()
    expect(saidBy(await third.rest())).toEqual(['three', 'done'])
  })

  it('takes it from the standalone stream of the same name alone', async () => {
    const session = await openSession()
    const first = await session.listen()
    const second = await session.listen()
    for (const idle of [first, second]) {
      await idle.next()
      await idle.next()
    }
    const again = await session.listen(first.lastId)
    expect(await first.next()).toBeUndefined()
    await session.call(async ({ notify }) => {
      await notify.toolsChanged()
      return 'told'
    })
    expect((await again.message()).method).toBe('notifications/tools/list_changed')
    expect(await second.next()).toEqual({ comment: 'keepalive' })
  })
})

describe('closeStream', () => {
  it('ends the connection of a call, which is polled for its result', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ closeStream, log, signal }) => {
      await log('info', 'one')
      closeStream()
      await wait(signal)
      return 'done'
    })
    expect(saidBy(await call.rest())).toEqual(['one'])
    const poll = await session.listen(call.lastId)
    open()
    expect(saidBy(await poll.rest())).toEqual(['done'])
  })

  it('opens a stream with a priming event for a call that has said nothing', async () => {
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
    expect(saidBy(await poll.rest())).toEqual(['done'])
  })

  it('may be used again by every connection', async () => {
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
    expect(saidBy(await second.rest())).toEqual(['waited'])
    const third = await session.listen(second.lastId)
    steps[1]?.open()
    expect(saidBy(await third.rest())).toEqual(['waited', 'done'])
  })

  it.each(['2025-03-26', '2025-06-18'])(
    'does nothing under %s, whose clients could not come back',
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

  it('does nothing for a client that reads JSON alone', async () => {
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

describe('the form of an answer', () => {
  const EVENT_STREAM = 'text/event-stream'

  it('is a stream where nothing else is accepted, however quick it is', async () => {
    const session = await openSession()
    const call = await session.stream(() => 'done', { headers: { accept: EVENT_STREAM } })
    expect(saidBy(await call.rest())).toEqual(['done'])
    expect(saidBy(await (await session.listen(call.ids[0])).rest())).toEqual(['done'])
  })

  it('is a stream once it has taken its time', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ signal }) => {
      await wait(signal)
      return 'done'
    })
    open()
    expect(saidBy(await call.rest())).toEqual(['done'])
  })

  it('is JSON where nothing else is accepted, however much is said on the way', async () => {
    const session = await openSession()
    const response = await session.call(
      async ({ log }) => {
        await log('info', 'unheard')
        await new Promise((resolve) => setTimeout(resolve, 1))
        return 'done'
      },
      { headers: { accept: 'application/json' } },
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(textOf(await response.json())).toBe('done')
  })
})
