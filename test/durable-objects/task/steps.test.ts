/** Steps of tasks: how often they run, over evictions and kills of the object. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { objectOf } from '../../support/task-server.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from './task-client.ts'
import { evict, kill } from './task-object.ts'

const client = new TaskClient()

const ask = (key: string) => ({ key, message: `${key}?`, schema: z.object({ ok: z.boolean() }) })

const ACCEPT = { action: 'accept', content: { ok: true } }

describe('a step of a task', () => {
  it('runs once, however often the object is evicted while the task waits', async () => {
    const ran: string[] = []
    const taskId = await client.start(async (ctx) => {
      ran.push('handler')
      const value = await ctx.step('once', () => ran.push('step'))
      await ctx.elicit(ask('then'))
      return String(value)
    })
    await client.reaches(taskId, 'input_required')
    await evict(taskId)
    await client.answer(taskId, { 'then.1': ACCEPT })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('2')
    expect(ran).toEqual(['handler', 'step', 'handler'])
  })

  it('that is idempotent runs again with the same id after an interruption', async () => {
    const ids: string[] = []
    const reached = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await ctx.step('twice', { idempotent: true }, async ({ stepId }) => {
        ids.push(stepId)
        reached.resolve()
        if (ids.length === 1) await new Promise(() => undefined)
      })
      return 'done'
    })
    await reached.promise
    await kill(taskId)
    // A request continues it, without waiting for the alarm.
    await runInDurableObject(await objectOf(taskId), (_, { storage }) => storage.deleteAlarm())
    await client.reaches(taskId, 'completed')
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  it('that is not idempotent is not repeated: the task fails and names it', async () => {
    verifies('tasks/failed-task-has-its-error')
    let runs = 0
    const reached = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await ctx.step('charge', async () => {
        runs++
        reached.resolve()
        await new Promise(() => undefined)
      })
      return 'done'
    })
    await reached.promise
    await kill(taskId)
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toContain('"charge"')
    expect(runs).toBe(1)
  })

  it('is attempted again as often as it says', async () => {
    const attempts: number[] = []
    const taskId = await client.start(async (ctx) => {
      const options = { retries: 2, backoff: { initialMs: 1 } }
      return ctx.step('flaky', options, ({ attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error('not yet')
        return 'at last'
      })
    })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('at last')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('exceeds its timeout with an error and an aborted signal', async () => {
    let wasAborted = false
    const taskId = await client.start(async (ctx) => {
      try {
        await ctx.step('slow', { timeoutMs: 20 }, async ({ signal }) => {
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve)
          })
          wasAborted = signal.aborted
        })
      } catch (error) {
        return String(error)
      }
      return 'in time'
    })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('TimeoutError: Step "slow" exceeded its timeout')
    expect(wasAborted).toBe(true)
  })
})
