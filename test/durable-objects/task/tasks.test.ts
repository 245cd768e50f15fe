import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { keepHandler } from '../../support/session-server.ts'
import { objectOf, openTaskApp, taskEvents } from '../../support/task-server.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from './task-client.ts'

const client = new TaskClient()

const ask = (key: string) => ({ key, message: `${key}?`, schema: z.object({ ok: z.boolean() }) })

/** Ids that name no task, made of one that does. */
const FORGED_IDS: readonly (readonly [string, (id: string) => string])[] = [
  ['a text', () => 'nonsense'],
  ['a long text', () => 'x'.repeat(5000)],
  ['a name of JavaScript', () => '__proto__'],
  ['changed in its last character', (id) => id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A')],
  ['changed in its key', (id) => `1AAAAAAAA${id.slice(id.indexOf('.'))}`],
  ['of a newer format', (id) => `2${id.slice(1)}`],
  ['a half', (id) => id.slice(0, id.length / 2)],
  ['longer by one character', (id) => `${id}A`],
  ['twice itself', (id) => id + id],
]

const ACCEPT = { action: 'accept', content: { ok: true } }

describe('a call of a tool with tasks', () => {
  it('is a task at once, which completes with the result of the call', async () => {
    verifies('tasks/result-type-is-task')
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

  it('has a lifetime of at most tasks({ ttlMs }), also when its tool asks for a longer one', async () => {
    const shortLived = new TaskClient(openTaskApp({ ttlMs: 90_000 }))
    const { body } = await shortLived.call('required', () => 'done')
    expect(body.result.ttlMs).toBe(90_000)
  })

  it.for([[{}], [{ ttl: 5 }], [null], ['yes'], [[]]])(
    'takes no notice of params.task, which 2025-11-25 has: %j',
    async ([task]) => {
      const { body } = await client.call('required', () => 'done', { task })
      expect(body.result).toMatchObject({ resultType: 'task', ttlMs: 86_400_000 })
      const plain = await client.call('plain', () => 'done', { task })
      expect(plain.body.result.resultType).toBe('complete')
    },
  )

  it('is answered by itself for a client without tasks, if the tool does not require one', async () => {
    verifies('tasks/no-task-without-capability')
    const args = { name: 'optional', arguments: { script: 'none' } }
    const { body } = await client.app.modern('tools/call', args)
    expect(body.result.isError).toBe(true)
  })

  it('is refused with -32021 for a client without tasks, if the tool requires one', async () => {
    verifies('tasks/required-task-is-an-error')
    const args = { name: 'required', arguments: { script: 'none' } }
    const { body } = await client.app.modern('tools/call', args)
    expect(body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  it('is answered by itself within the time that its tool allows', async () => {
    verifies('tasks/client-handles-either-result')
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
    verifies('tasks/failed-is-for-protocol-errors', 'tasks/completed-task-has-its-result')
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
    verifies('tasks/get-answers-the-status', 'tasks/ask-keys-are-unique')
    verifies('tasks/ask-keys-are-not-reused', 'tasks/answers-have-open-keys')
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
    verifies('tasks/get-lists-all-open-asks')
    const taskId = await client.start(async (ctx) => {
      const [left, right] = await Promise.all([ctx.elicit(ask('left')), ctx.elicit(ask('right'))])
      return `${left.action} ${right.action}`
    })
    await client.reaches(taskId, 'input_required')
    await client.answer(taskId, { 'left.1': ACCEPT })
    await client.answer(taskId, { 'left.1': { action: 'decline' } })
    const state = await client.get(taskId)
    expect(state.status).toBe('input_required')
    expect(Object.keys(state.inputRequests)).toEqual(['right.2'])
    await client.answer(taskId, { 'right.2': ACCEPT })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('accept accept')
  })

  it('cancels its handler through the signal, and stays cancelled', async () => {
    verifies('tasks/cancel-is-acknowledged')
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
    expect((await client.answer(taskId, { 'late.1': ACCEPT })).body.error).toBeUndefined()
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
    const stub = await objectOf(taskId)
    const tables = () =>
      runInDurableObject(stub, (_, ctx) =>
        ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'task'").toArray(),
      )
    await expect.poll(tables).toEqual([])
    await aborted.promise
  })
})

describe('an id that is no task of the caller', () => {
  it.for(FORGED_IDS)('is refused with -32602 in both revisions when it is %s', async ([, of]) => {
    verifies('earlier-tasks/ids-cannot-be-guessed', 'tasks/unknown-task-is-an-error')
    verifies('tasks/ids-cannot-be-guessed', 'earlier-tasks/unknown-ids-are-errors')
    const id = await client.start(async (ctx) => (await ctx.elicit(ask('one'))).action)
    const taskId = of(id)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { body } = await client.send(method, { taskId, inputResponses: {} })
      expect(body.error.code, method).toBe(-32602)
    }
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const { body } = await client.app.session(method, { taskId })
      expect(body.error.code, method).toBe(-32602)
    }
    expect((await client.reaches(id, 'input_required')).status).toBe('input_required')
  })
})
