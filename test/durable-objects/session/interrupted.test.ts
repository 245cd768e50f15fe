import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import type { FullContext } from '../../support/full-server.ts'
import { createLatch } from '../../support/latch.ts'
import { openSession, type SessionClient, textOf } from '../../support/session-client.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { kill, runDueAlarms } from './lifetime.ts'
import { storedBy } from './stored.ts'

const INTERRUPTED = 'The server was interrupted while this call was running.'

/** Starts a call that blocks in its first runs and completes in the next one. */
async function startBlocked(session: SessionClient, tool: 'run' | 'look' | 'repeat', rounds = 1) {
  const { wait } = createLatch()
  const ran: string[] = []
  const call = await session.stream(
    async (ctx: FullContext) => {
      ran.push('handler')
      await ctx.progress(1)
      await ctx.log('info', 'under way')
      const step = await ctx.step('step', () => ran.push('step'))
      await ctx.progress(2)
      if (ran.filter((entry) => entry === 'handler').length <= rounds) await wait(ctx.signal)
      await ctx.log('info', 'nearly there')
      return `done ${step}`
    },
    { tool, progressToken: 1 },
  )
  const sent = [await call.message(), await call.message(), await call.message()]
  expect(sent.map(({ params }) => params.progress ?? params.data)).toEqual([1, 'under way', 2])
  return { call, ran }
}

describe.each(['look', 'repeat'] as const)(
  'an interrupted call of a tool that may be repeated (%s)',
  (tool) => {
    it('runs again, and repeats no step and no notification', async () => {
      const session = await openSession()
      const { call, ran } = await startBlocked(session, tool)
      await kill(session)
      const [log, result, ...more] = await call.rest()
      expect(log.params.data).toBe('nearly there')
      expect(textOf(result)).toBe('done 2')
      expect(more).toEqual([])
      expect(ran).toEqual(['handler', 'step', 'handler'])
    })
  },
)

describe('an interrupted call of a tool that may not be repeated', () => {
  it('ends with an error that says so', async () => {
    const session = await openSession()
    const { call, ran } = await startBlocked(session, 'run')
    await kill(session)
    expect(await call.rest()).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [
            {
              type: 'text',
              text: `${INTERRUPTED} Part of its work may have been done: check before repeating the call.`,
            },
          ],
          isError: true,
        },
      },
    ])
    expect(ran).toEqual(['handler', 'step'])
  })

  it('ends with an error when it was interrupted after the response to its ask', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    const call = await session.stream(async (ctx) => {
      await ctx.listRoots()
      await ctx.log('info', 'answered')
      await wait(ctx.signal)
      return 'never'
    })
    const question = await call.message()
    await session.answer(question, { roots: [] })
    expect((await call.message()).params.data).toBe('answered')
    await kill(session)
    expect(textOf(await call.message())).toContain(INTERRUPTED)
    expect(await call.message()).toBeUndefined()
  })
})

describe('an interrupted call', () => {
  it('is resumed by the alarm when no client reconnects', async () => {
    const session = await openSession()
    const { call, ran } = await startBlocked(session, 'repeat')
    await call.leave()
    const { alarm } = await storedBy(session)
    expect(alarm).toBeLessThanOrEqual(Date.now() + 20_000)
    await kill(session)
    advanceClock(20_000)
    await runDueAlarms(session)
    await expect.poll(async () => (await storedBy(session)).rows.runs).toBeUndefined()
    expect(ran).toEqual(['handler', 'step', 'handler'])
    const back = await session.listen(call.lastId)
    expect((await back.rest()).at(-1).result.content[0].text).toBe('done 2')
  })

  it('is resumed by the next request of the session', async () => {
    const session = await openSession()
    const { call, ran } = await startBlocked(session, 'repeat')
    await call.leave()
    await kill(session)
    expect(await session.request('ping')).toHaveProperty('result')
    const back = await session.listen(call.lastId)
    expect((await back.rest()).at(-1).result.content[0].text).toBe('done 2')
    expect(ran).toEqual(['handler', 'step', 'handler'])
  })

  it('ends with an error when it is interrupted for the fourth time', async () => {
    const session = await openSession()
    const { call, ran } = await startBlocked(session, 'repeat', Number.POSITIVE_INFINITY)
    const rounds = () => ran.filter((entry) => entry === 'handler').length
    await call.leave()
    for (const round of [2, 3, 4]) {
      await kill(session)
      expect(await session.request('ping')).toHaveProperty('result')
      await expect.poll(rounds).toBe(round)
    }
    await kill(session)
    expect(await (await session.listen(call.lastId)).rest()).toMatchObject([
      {
        result: {
          content: [{ text: `${INTERRUPTED} The call may be repeated.` }],
          isError: true,
        },
      },
    ])
    expect(ran.filter((entry) => entry === 'step')).toHaveLength(1)
  })

  it('releases its request id when it ends', async () => {
    const session = await openSession()
    const { call } = await startBlocked(session, 'run')
    await kill(session)
    expect(textOf(await call.message())).toContain(INTERRUPTED)
    const again = await session.call(() => 'again', { id: 1 })
    expect(textOf(await again.json())).toBe('again')
  })

  it('fails with its connection when it has sent no message before', async () => {
    const session = await openSession()
    const { wait } = createLatch()
    let runs = 0
    const call = session.call(
      async ({ signal }) => {
        runs += 1
        await wait(signal)
        return 'never'
      },
      { headers: { accept: 'application/json' } },
    )
    await expect.poll(() => runs).toBe(1)
    await kill(session)
    const response = await call
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32603,
          message:
            'The session failed while it served this POST. Send it again [session-unavailable]',
        },
      },
    ])
    expect(runs).toBe(1)
    expect(await session.request('ping')).toHaveProperty('result')
  })

  it('is not resumed in a terminated session', async () => {
    const session = await openSession()
    const { call, ran } = await startBlocked(session, 'repeat')
    await call.leave()
    await kill(session)
    expect((await session.end()).status).toBe(204)
    advanceClock(20_000)
    await runDueAlarms(session)
    expect((await storedBy(session)).rows).toEqual({})
    expect(ran).toEqual(['handler', 'step'])
  })
})

describe('an interrupted batch', () => {
  it('resumes each request with the messages that this request has sent', async () => {
    const session = await openSession({ version: '2025-03-26' })
    const { wait } = createLatch()
    let rounds = 0
    const item = (id: string, handler: Handler) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'repeat', arguments: keepHandler(handler), _meta: { progressToken: id } },
    })
    const stream = new SseReader(
      await session.post([
        item('a', async ({ progress, log }) => {
          await progress(10)
          await log('info', 'same')
          return 'done'
        }),
        item('b', async ({ progress, log, signal }) => {
          await progress(1)
          rounds += 1
          if (rounds === 1) await wait(signal)
          await log('info', 'same')
          await progress(2)
          return 'done'
        }),
      ]),
    )
    const before = [
      await stream.message(),
      await stream.message(),
      await stream.message(),
      await stream.message(),
    ]
    expect(before.map(({ id, params }) => id ?? params.progress ?? params.data)).toEqual([
      10,
      'same',
      'a',
      1,
    ])
    await kill(session)
    const after = await stream.rest()
    expect(after.map(({ id, params }) => id ?? params.progress ?? params.data)).toEqual([
      'same',
      2,
      'b',
    ])
  })
})
