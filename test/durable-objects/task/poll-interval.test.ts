/** `pollIntervalMs` of 2026-07-28 and `pollInterval` of 2025-11-25, while a task runs, waits and sleeps. */
// features: sessions
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { pollIntervalOf } from '../../../durable-objects/task/poll-interval.ts'
import { advanceClock } from '../../support/clock.ts'
import { FullServer } from '../../support/full-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { keepHandler } from '../../support/session-server.ts'
import { control, openTaskApp } from '../../support/task-server.ts'
import { ENDPOINT } from '../../support/test-app.ts'
import { TaskClient } from './task-client.ts'

const client = new TaskClient()

const MINUTE_MS = 60_000
const ASK = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

const intervalOf = async (taskId: string): Promise<number> =>
  (await client.get(taskId)).pollIntervalMs

describe('the interval for requests of the state of a task', () => {
  it('is one second while its handler runs, however long', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await ctx.step('work', () => go.promise)
      return 'done'
    })
    expect(await intervalOf(taskId)).toBe(1000)
    advanceClock(10 * MINUTE_MS)
    expect(await intervalOf(taskId)).toBe(1000)
    go.resolve()
    expect((await client.reaches(taskId, 'completed')).pollIntervalMs).toBe(1000)
  })

  it('is the time that is left of a sleep', async () => {
    const taskId = await client.start(async (ctx) => {
      await ctx.sleep('nap', 20 * MINUTE_MS)
      return 'awake'
    })
    await expect.poll(() => intervalOf(taskId)).toBeGreaterThan(19 * MINUTE_MS)
    advanceClock(15 * MINUTE_MS)
    const left = await intervalOf(taskId)
    expect(left).toBeGreaterThan(4 * MINUTE_MS)
    expect(left).toBeLessThanOrEqual(5 * MINUTE_MS)
  })

  it('grows from one to thirty seconds while a question is open, and is one second after its answer', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await ctx.elicit(ASK)
      await go.promise
      return 'done'
    })
    const asked = await client.reaches(taskId, 'input_required')
    expect(asked.pollIntervalMs).toBe(1000)
    advanceClock(MINUTE_MS)
    expect(Math.floor((await intervalOf(taskId)) / 1000)).toBe(15)
    advanceClock(MINUTE_MS * 10)
    expect(await intervalOf(taskId)).toBe(30_000)
    const [key = ''] = Object.keys(asked.inputRequests)
    await client.answer(taskId, { [key]: { action: 'decline' } })
    expect(await intervalOf(taskId)).toBe(1000)
    go.resolve()
  })

  it('is thirty seconds while a task of some minutes waits for an event', async () => {
    const taskId = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    await client.reaches(taskId, 'working')
    advanceClock(5 * MINUTE_MS)
    expect(await intervalOf(taskId)).toBe(30_000)
    await control.deliver(taskId, 'event', 1)
    await client.reaches(taskId, 'completed')
  })

  it('is pollInterval to a client of 2025-11-25', async () => {
    const session = await HttpSession.open(
      { url: ENDPOINT, fetch: openTaskApp().fetch },
      { version: '2025-11-25' },
    )
    const handler = keepHandler(async (ctx) => {
      await ctx.sleep('nap', 20 * MINUTE_MS)
      return 'awake'
    })
    const call = { name: 'required', arguments: handler, task: {} }
    const { result } = await session.request('tools/call', call)
    expect(result?.task.pollInterval).toBe(1000)
    const { taskId } = result?.task ?? {}
    const get = async () => (await session.request('tasks/get', { taskId })).result?.pollInterval
    await expect.poll(get).toBeGreaterThan(19 * MINUTE_MS)
  })
})

const TASK = {
  state: 'waiting',
  poll_interval_ms: 2_000,
  max_poll_interval_ms: 10_000,
  created_at: 0,
  updated_at: 100_000,
  ttl_ms: 1_000_000,
} as const

describe('the interval of a task', () => {
  const event = { kind: 'event', until: null } as const
  const ask = { kind: 'ask', until: null } as const
  const sleep = (until: number) => ({ kind: 'sleep', until }) as const

  it.for([
    ['a question that was just asked', 100_000, [ask], 2_000],
    ['a question that was asked twenty seconds ago', 120_000, [ask], 5_000],
    ['a question that was asked long ago', 900_000, [ask], 10_000],
    ['an event, at an age of sixteen seconds', 16_000, [event], 4_000],
    ['an event, at an age of some minutes', 200_000, [event], 10_000],
    ['an event or a time that comes soon', 200_000, [event, sleep(203_000)], 3_000],
    ['an event or a time that comes late', 200_000, [event, sleep(900_000)], 10_000],
    ['the first of two times', 200_000, [sleep(260_000), sleep(900_000)], 60_000],
    ['a time that comes at once', 200_000, [sleep(200_001)], 2_000],
    ['a time that has come', 200_000, [sleep(199_000)], 2_000],
    ['a time after the end of its lifetime', 900_000, [sleep(5_000_000)], 100_000],
  ] as const)('that waits for %s', ([, now, waits, expected]) => {
    expect(pollIntervalOf(TASK, waits, now)).toBe(expected)
  })

  it('fits the timers of clients when it lives for months', () => {
    const months = { ...TASK, ttl_ms: 90 * 24 * 60 * MINUTE_MS }
    expect(pollIntervalOf(months, [sleep(80 * 24 * 60 * MINUTE_MS)], 0)).toBe(2_147_483_647)
  })
})

describe('task.maxPollIntervalMs', () => {
  const register = (task: object) =>
    new FullServer({ name: 'polled', version: '1' }).registerTool(
      'slow',
      { task: { support: 'optional', ...task } },
      () => 'done',
    )

  it('is refused below task.pollIntervalMs, which may be above its default', () => {
    expect(() => register({ pollIntervalMs: 500, maxPollIntervalMs: 400 })).toThrow(
      'maxPollIntervalMs must be at least task.pollIntervalMs',
    )
    expect(() => register({ maxPollIntervalMs: 1.5 })).toThrow('positive integer')
    expect(() => register({ pollIntervalMs: 60_000 })).not.toThrow()
  })
})
