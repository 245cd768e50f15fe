import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { keepHandler } from '../../support/session-server.ts'
import { control, objectOf, openTaskApp, taskEvents } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient()

const ask = (key: string) => ({ key, message: `${key}?`, schema: z.object({ ok: z.boolean() }) })

const ACCEPT = { action: 'accept', content: { ok: true } }

/** Ends the object at once, as a kill of its process does. */
async function kill(taskId: string): Promise<void> {
  const stub = await objectOf(taskId)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

async function evict(taskId: string): Promise<void> {
  await evictDurableObject(await objectOf(taskId))
}

describe('a call of a tool with tasks', () => {
  it('is a task at once, which completes with the result of the call', async () => {
    const { body } = await client.call('optional', () => 'done')
    const {
      resultType,
      taskId,
      status,
      createdAt,
      lastUpdatedAt,
      ttlMs,
      pollIntervalMs,
      _meta,
      ...rest
    } = body.result
    expect({ resultType, status, ttlMs, pollIntervalMs, rest }).toEqual({
      resultType: 'task',
      status: 'working',
      ttlMs: 86_400_000,
      pollIntervalMs: 1000,
      rest: {},
    })
    expect(new Date(createdAt).toISOString()).toBe(createdAt)
    expect(Date.parse(lastUpdatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt))
    const ended = await client.reaches(taskId, 'completed')
    expect(ended.resultType).toBe('complete')
    expect(ended.result.content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('has a lifetime of at most limits.taskTtlMs, also when its tool asks for a longer one', async () => {
    const shortLived = new TaskClient(openTaskApp({ taskTtlMs: 90_000 }))
    const { body } = await shortLived.call('required', () => 'done')
    expect(body.result.ttlMs).toBe(90_000)
  })

  it('is answered by itself for a client without tasks, if the tool does not require one', async () => {
    const args = { name: 'optional', arguments: { script: 'none' } }
    const { body } = await client.app.modern('tools/call', args)
    expect(body.result.isError).toBe(true)
  })

  it('is refused with -32021 for a client without tasks, if the tool requires one', async () => {
    const args = { name: 'required', arguments: { script: 'none' } }
    const { body } = await client.app.modern('tools/call', args)
    expect(body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  it('is answered by itself within the time that its tool allows', async () => {
    const { body } = await client.call('inline', () => 'quick')
    expect(body.result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'quick' }],
    })
  })

  it('becomes a task although it has its answer at once, if its tool requires one', async () => {
    const taskId = await client.start(() => 'done', 'before')
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('done')
  })

  it('is reported to telemetry when it becomes a task, and not when it is answered by itself', async () => {
    const created = () => taskEvents.filter(({ type }) => type === 'task-created')
    const before = created().length
    await client.call('inline', () => 'at once')
    expect(created()).toHaveLength(before)
    await client.start(() => 'as a task')
    expect(created().slice(before)).toEqual([{ type: 'task-created', subject: 'Tool required' }])
  })

  it('becomes a task when it asks within that time', async () => {
    const taskId = await client.start(
      async (ctx) => (await ctx.elicit(ask('now'))).action,
      'inline',
    )
    const { inputRequests } = await client.reaches(taskId, 'input_required')
    expect(Object.keys(inputRequests)).toEqual(['now.1'])
  })

  it('refuses arguments that do not fit with a result, and creates no task', async () => {
    const { body } = await client.send('tools/call', { name: 'required', arguments: {} })
    expect(body.result).toMatchObject({ resultType: 'complete', isError: true })
  })

  it('asks before its task is created, if the tool says so', async () => {
    const handler = async (ctx: Parameters<Parameters<typeof client.start>[0]>[0]) => {
      const { action } = await ctx.elicit(ask('first'))
      return `${action} ${ctx.task === undefined}`
    }
    const { body } = await client.call('before', handler)
    expect(body.result).toMatchObject({ resultType: 'input_required' })
    expect(body.result.taskId).toBeUndefined()
    const { requestState, inputRequests } = body.result
    expect(Object.keys(inputRequests)).toEqual(['first'])
    const second = await client.call('before', handler, {
      requestState,
      inputResponses: { first: ACCEPT },
    })
    // Another script, so the state is of another request.
    expect(second.body.error.code).toBe(-32602)
  })

  it('goes on as a task with the answers to what it asked before', async () => {
    const script = keepHandler(async (ctx) => {
      const { action } = await ctx.elicit(ask('first'))
      await ctx.sleep('moment', 10)
      return `${action} ${typeof ctx.task?.id}`
    })
    const call = { name: 'before', arguments: script }
    const asked = await client.send('tools/call', call)
    const { requestState } = asked.body.result
    const answered = { ...call, requestState, inputResponses: { first: ACCEPT } }
    const { body } = await client.send('tools/call', answered)
    expect(body.result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(body.result).not.toHaveProperty('requestState')
    const { result } = await client.reaches(body.result.taskId, 'completed')
    expect(result.content[0].text).toBe('accept string')
  })
})

describe('a task', () => {
  it('reports the error of a tool as completed, and a JSON-RPC error as failed', async () => {
    const failed = await client.start(() => {
      throw new Error('secret')
    })
    const { result } = await client.reaches(failed, 'completed')
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('shows progress as its status message', async () => {
    const finish = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await ctx.progress(1, 3, 'one of three')
      await finish.promise
      return 'done'
    })
    await expect.poll(async () => (await client.get(taskId)).statusMessage).toBe('one of three')
    finish.resolve()
    await client.reaches(taskId, 'completed')
  })

  it('asks during its run, with a new key for each ask, also for the same question', async () => {
    const taskId = await client.start(async (ctx) => {
      const first = await ctx.elicit(ask('one'))
      const second = await ctx.elicit(ask('two'))
      return `${first.action} ${second.action}`
    })
    const asked = await client.reaches(taskId, 'input_required')
    expect(Object.keys(asked.inputRequests)).toEqual(['one.1'])
    // It does not fit, so it is asked again.
    await client.answer(taskId, { 'one.1': { action: 'accept', content: { ok: 'no' } } })
    await expect
      .poll(async () => Object.keys((await client.get(taskId)).inputRequests ?? {}))
      .toEqual(['one.2'])
    await client.answer(taskId, { 'one.1': ACCEPT, unknown: ACCEPT })
    expect(Object.keys((await client.get(taskId)).inputRequests)).toEqual(['one.2'])
    await client.answer(taskId, { 'one.2': ACCEPT })
    await expect
      .poll(async () => Object.keys((await client.get(taskId)).inputRequests ?? {}))
      .toEqual(['two.3'])
    await client.answer(taskId, { 'two.3': { action: 'decline' } })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('accept decline')
  })

  it('keeps its other asks open, with their keys, while one is answered', async () => {
    const taskId = await client.start(async (ctx) => {
      const [left, right] = await Promise.all([ctx.elicit(ask('left')), ctx.elicit(ask('right'))])
      return `${left.action} ${right.action}`
    })
    await client.reaches(taskId, 'input_required')
    await client.answer(taskId, { 'left.1': ACCEPT })
    const state = await client.get(taskId)
    expect(state.status).toBe('input_required')
    expect(Object.keys(state.inputRequests)).toEqual(['right.2'])
    await client.answer(taskId, { 'right.2': ACCEPT })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('accept accept')
  })

  it('races an event with a deadline, and keeps an open ask with its key meanwhile', async () => {
    const taskId = await client.start(async (ctx) => {
      const winner = await Promise.race([
        ctx.waitFor('approved').then(() => 'approved'),
        ctx.sleep('deadline', 30).then(() => 'too late'),
      ])
      return winner
    })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('too late')
  })

  it('cancels its handler through the signal, and stays cancelled', async () => {
    const aborted = Promise.withResolvers<void>()
    const taskId = await client.start(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      await aborted.promise
      return 'too late'
    })
    const { body } = await client.send('tasks/cancel', { taskId })
    expect(body.result).toMatchObject({ resultType: 'complete' })
    expect(body.result.taskId).toBeUndefined()
    await aborted.promise
    await client.reaches(taskId, 'cancelled')
    const again = await client.send('tasks/cancel', { taskId })
    expect(again.body.result.resultType).toBe('complete')
    expect((await client.get(taskId)).status).toBe('cancelled')
  })

  it('is deleted at the end of its lifetime, in any state, and its handler is cancelled', async () => {
    const aborted = Promise.withResolvers<void>()
    const taskId = await client.start(({ signal }) => {
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(signal.reason)
        })
      })
    }, 'brief')
    await expect.poll(async () => (await client.get(taskId)).code).toBe(-32602)
    const rows = await runInDurableObject(await objectOf(taskId), (_, ctx) =>
      ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'task'").toArray(),
    )
    expect(rows).toEqual([])
    await aborted.promise
  })
})

describe('an id that is no task of the caller', () => {
  it.for([
    ['a text', 'nonsense'],
    ['a long text', 'x'.repeat(5000)],
  ])('is refused with -32602: %s', async ([, taskId = '']) => {
    for (const method of ['tasks/get', 'tasks/cancel']) {
      const { body } = await client.send(method, { taskId })
      expect(body.error.code).toBe(-32602)
    }
  })

  it('is refused with -32602 when it is not a string', async () => {
    const { body } = await client.send('tasks/get', { taskId: 7 })
    expect(body.error.code).toBe(-32602)
  })
})

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

describe('ctx.sleep', () => {
  it('keeps nothing in memory and goes on after its time', async () => {
    const ran: string[] = []
    const taskId = await client.start(async (ctx) => {
      ran.push('handler')
      await ctx.sleep('nap', 200)
      return 'awake'
    })
    await until(() => ran.length === 1)
    await evict(taskId)
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('awake')
    expect(ran).toEqual(['handler', 'handler'])
  })

  it('ends a call that is neither a task nor in a session with -32021', async () => {
    const { body } = await client.call('plain', async (ctx) => {
      await ctx.sleep('nap', 1)
      return 'awake'
    })
    expect(body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })
})

describe('ctx.waitFor', () => {
  const EVENT = z.object({ ok: z.boolean() })

  it('receives the delivered value, once', async () => {
    const taskId = await client.start(async (ctx) => {
      const { ok } = await ctx.waitFor('event', { schema: EVENT })
      await ctx.sleep('then', 100)
      return String(ok)
    })
    await expect(control.deliver(taskId, 'event', { ok: 'no' })).rejects.toMatchObject({
      reason: 'does-not-fit',
    })
    await control.deliver(taskId, 'event', { ok: true })
    await expect(control.deliver(taskId, 'event', { ok: false })).rejects.toMatchObject({
      reason: 'delivered-before',
    })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('true')
    await expect(control.deliver(taskId, 'event', { ok: true })).rejects.toMatchObject({
      reason: 'task-is-over',
    })
  })

  it('receives a value that was delivered before it', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await go.promise
      return JSON.stringify(await ctx.waitFor('early'))
    })
    await control.deliver(taskId, 'early', [1, 2])
    go.resolve()
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('[1,2]')
  })

  it('receives a value that was delivered before it, after an interruption', async () => {
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      if (runs++ === 0) await new Promise(() => undefined)
      return JSON.stringify(await ctx.waitFor('early'))
    })
    await until(() => runs === 1)
    await control.deliver(taskId, 'early', { a: 1 })
    await kill(taskId)
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('{"a":1}')
  })

  it('rejects with a ToolError when nothing was delivered in time', async () => {
    const taskId = await client.start(async (ctx) => {
      await ctx.waitFor('never', { timeoutMs: 30 })
      return 'not reached'
    })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'Nothing was delivered to "never" in time.' }],
    })
  })

  it('refuses a delivery that comes after its time, while the task goes on', async () => {
    const taskId = await client.start(async (ctx) => {
      await ctx.waitFor('never', { timeoutMs: 30 }).catch(() => undefined)
      return JSON.stringify(await ctx.waitFor('next'))
    })
    const stub = await objectOf(taskId)
    await expect
      .poll(() =>
        runInDurableObject(stub, (_, { storage }) =>
          storage.sql.exec("SELECT key FROM waits WHERE key = 'next'").toArray(),
        ),
      )
      .toHaveLength(1)
    await expect(control.deliver(taskId, 'never', 1)).rejects.toMatchObject({ reason: 'too-late' })
    await control.deliver(taskId, 'next', 2)
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('2')
  })

  it('drops a value that was delivered before it and does not fit, and takes the next', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await go.promise
      return JSON.stringify(await ctx.waitFor('early', { schema: EVENT }))
    })
    await control.deliver(taskId, 'early', 'nonsense')
    go.resolve()
    await expect
      .poll(() =>
        control.deliver(taskId, 'early', { ok: true }).then(
          () => 'kept',
          (e) => e.reason,
        ),
      )
      .toBe('kept')
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('{"ok":true}')
  })

  it.for([
    ['unknown-task', 'nonsense', 'event', 1],
    ['too-large', undefined, 'event', 'x'.repeat(300_000)],
  ] as const)('refuses a delivery: %s', async ([reason, id, key, value]) => {
    const taskId =
      id ?? (await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('event'))))
    await expect(control.deliver(taskId, key, value)).rejects.toMatchObject({ reason })
  })

  it('keeps at most 100 values that nothing has waited for', async () => {
    const taskId = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    await client.reaches(taskId, 'working')
    for (let n = 0; n < 100; n++) await control.deliver(taskId, `key-${n}`, n)
    await expect(control.deliver(taskId, 'one-more', 1)).rejects.toMatchObject({
      reason: 'too-many-values',
    })
    await control.deliver(taskId, 'event', 'still')
    await client.reaches(taskId, 'completed')
  })
})
