import { describe, expect, it } from 'vitest'
import { createLatch } from '../../support/latch.ts'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import { type Handler, objectEvents } from '../../support/session-server.ts'
import { verifies } from '../../support/verifies.ts'

const ASKS: Handler = async ({ listRoots }) => `${(await listRoots()).length} folders`

/** A handler that logs one message and then waits, and the reason of its signal. */
function waiting() {
  const { wait, open } = createLatch()
  const seen: { reason?: unknown } = {}
  const handler: Handler = async ({ log, signal }) => {
    await log('info', 'one')
    try {
      await wait(signal)
    } catch (error) {
      seen.reason = error
      throw error
    }
    return 'done'
  }
  return { handler, open, seen }
}

describe('a cancelled request', () => {
  it('aborts its signal and ends its stream without a response', async () => {
    const session = await openSession()
    const { handler, seen } = waiting()
    const call = await session.stream(handler, { id: 'c' })
    await call.message()
    objectEvents.length = 0
    const params = { requestId: 'c', reason: 'no longer needed' }
    expect(await session.notify('notifications/cancelled', params)).toBe(202)
    expect(await call.message()).toBeUndefined()
    await expect
      .poll(() => seen.reason)
      .toMatchObject({
        name: 'AbortError',
        message: 'The client cancelled the request',
      })
    expect(objectEvents).toEqual([
      { type: 'cancelled', method: 'tools/call', reason: 'cancelled-by-client' },
    ])
    expect((await session.get(call.lastId)).status).toBe(405)
  })

  it('sends nothing more from a handler that ignores its signal', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const continued: string[] = []
    const call = await session.stream(
      async ({ log }) => {
        await log('info', 'one')
        await wait()
        await log('info', 'too late')
        continued.push('after the wait')
        return 'done'
      },
      { id: 5 },
    )
    await call.message()
    await session.notify('notifications/cancelled', { requestId: 5 })
    expect(await call.message()).toBeUndefined()
    open()
    await expect.poll(() => continued).toEqual(['after the wait'])
    expect((await session.get(call.lastId)).status).toBe(405)
  })

  it('cancels its open server request', async () => {
    verifies('cancellation/cancellation-names-a-request-in-progress')
    verifies('cancellation/cancellation-id')
    const session = await openSession({}, openSessionApp())
    const call = await session.stream(ASKS, { id: 'c' })
    const question = await call.message()
    await session.notify('notifications/cancelled', { requestId: 'c' })
    expect(await call.rest()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: question.id, reason: 'The request was cancelled' },
      },
    ])
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(session.app.events).toEqual([
      { type: 'leniency', name: 'unexpected-response', method: undefined },
    ])
  })

  it('cancels only those of its server requests that are unanswered', async () => {
    verifies('cancellation/cancellation-names-a-request-in-progress')
    const session = await openSession()
    const call = await session.stream(
      async ({ listRoots }) => {
        const asked = await Promise.all([listRoots({ key: 'a' }), listRoots({ key: 'b' })])
        return `${asked.length}`
      },
      { id: 'c' },
    )
    const [first, second] = [await call.message(), await call.message()]
    await session.answer(first, { roots: [] })
    await session.notify('notifications/cancelled', { requestId: 'c' })
    expect((await call.rest()).map(({ params }) => params.requestId)).toEqual([second.id])
  })

  it('releases its id for another request', async () => {
    const session = await openSession()
    const { handler } = waiting()
    const [running, asking] = [
      await session.stream(handler, { id: 'running' }),
      await session.stream(ASKS, { id: 'asking' }),
    ]
    for (const [id, call] of [
      ['running', running],
      ['asking', asking],
    ] as const) {
      await call.message()
      await session.notify('notifications/cancelled', { requestId: id })
      await call.rest()
      const next = await session.call(() => 'next', { id })
      expect(textOf(await next.json())).toBe('next')
    }
  })

  it('is answered with an error when the client accepts only JSON', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const started: string[] = []
    const call = session.call(
      async ({ signal }) => {
        started.push('started')
        await wait(signal)
        return 'done'
      },
      { id: 'c', headers: { accept: 'application/json' } },
    )
    await expect.poll(() => started).toEqual(['started'])
    await session.notify('notifications/cancelled', { requestId: 'c' })
    expect(await (await call).json()).toEqual({
      jsonrpc: '2.0',
      id: 'c',
      error: { code: -32603, message: 'The request was cancelled' },
    })
  })

  it('is identified by the type and value of its id, within its session', async () => {
    verifies('cancellation/cancellation-id')
    const [session, other] = [await openSession(), await openSession()]
    const [mine, second, theirs] = [waiting(), waiting(), waiting()]
    const one = await session.stream(mine.handler, { id: 1 })
    const two = await session.stream(second.handler, { id: '1' })
    const three = await other.stream(theirs.handler, { id: 1 })
    for (const call of [one, two, three]) await call.message()
    await session.notify('notifications/cancelled', { requestId: 1 })
    expect(await one.message()).toBeUndefined()
    second.open()
    theirs.open()
    expect(textOf(await two.message())).toBe('done')
    expect(textOf(await three.message())).toBe('done')
  })
})

describe('notifications/cancelled', () => {
  it.each([
    ['for an unknown request id', { requestId: 99 }],
    ['without a request id', {}],
    ['with an object as request id', { requestId: { a: 1 } }],
    ['with null as request id', { requestId: null }],
    ['for a server request', { requestId: 'ask-0' }],
  ])('%s is accepted and has no effect', async (_, params) => {
    verifies('cancellation/cancellation-names-a-request-in-progress')
    verifies('cancellation/cancellation-id', { row: 'for a server request' })
    const session = await openSession()
    const { handler, open } = waiting()
    const call = await session.stream(handler)
    await call.message()
    expect(await session.notify('notifications/cancelled', params)).toBe(202)
    open()
    expect(textOf(await call.message())).toBe('done')
  })

  it('for an answered request is accepted and has no effect', async () => {
    verifies('cancellation/late-cancellations')
    const session = await openSession()
    const { handler, open } = waiting()
    open()
    const call = await session.stream(handler, { id: 'c' })
    expect(await call.rest()).toHaveLength(2)
    expect(await session.notify('notifications/cancelled', { requestId: 'c' })).toBe(202)
    expect(await (await session.listen(call.ids[0])).rest()).toHaveLength(2)
  })

  it('sent twice has the effect of one', async () => {
    verifies('cancellation/late-cancellations')
    const session = await openSession()
    const { handler, seen } = waiting()
    const call = await session.stream(handler, { id: 'c' })
    await call.message()
    const cancel = () => session.notify('notifications/cancelled', { requestId: 'c' })
    expect(await Promise.all([cancel(), cancel()])).toEqual([202, 202])
    expect(await call.message()).toBeUndefined()
    await expect.poll(() => seen.reason).toMatchObject({ name: 'AbortError' })
  })
})
