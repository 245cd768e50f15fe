/** Requests about tasks that are refused: without the capability, malformed, and after the lifetime of the task. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { control, objectOf, TASKS } from '../../support/task-server.ts'
import { TaskClient } from './task-client.ts'
import { evict, kill } from './task-object.ts'

const client = new TaskClient()

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

const ask = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

const NOT_FOUND = {
  code: -32602,
  message: 'Task not found: it does not exist, or it has expired',
}

/** Makes a task two days older, so that its time is over. The alarm that deletes it stays as it is, as if it were late. */
async function age(taskId: string): Promise<void> {
  const stub = await objectOf(taskId)
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec('UPDATE task SET created_at = created_at - 2 * 86400000')
  })
  await evict(taskId)
}

describe('a request about a task', () => {
  it.each<[string, object]>([
    ['no capabilities', {}],
    ['no extensions', { extensions: null }],
    ['extensions that are an array', { extensions: [] }],
    ['an extension that is null', { extensions: { 'io.modelcontextprotocol/tasks': null } }],
    ['an extension that is true', { extensions: { 'io.modelcontextprotocol/tasks': true } }],
    ['an extension that is an array', { extensions: { 'io.modelcontextprotocol/tasks': [] } }],
    ['another extension', { extensions: { 'io.modelcontextprotocol/Tasks': {} } }],
    ['the capability of 2025-11-25', { tasks: { list: {}, cancel: {} } }],
  ])('is refused with -32021 for a client that declares %s', async (_, capabilities) => {
    const taskId = await client.start(async (ctx) => (await ctx.elicit(ask)).action)
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    for (const method of METHODS) {
      const params = { taskId, inputResponses: {} }
      const { status, body } = await client.app.modern(method, params, { meta })
      expect([method, status]).toEqual([method, 400])
      expect(body.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      })
    }
    expect((await client.reaches(taskId, 'input_required')).status).toBe('input_required')
  })

  it.each<[string, Record<string, string | null>]>([
    ['no name', { 'mcp-name': null }],
    ['the name of another task', { 'mcp-name': 'other' }],
    ['another method', { 'mcp-method': 'ping' }],
  ])('is refused with -32020 when its headers have %s', async (_, headers) => {
    const taskId = await client.start(async (ctx) => (await ctx.elicit(ask)).action)
    for (const method of METHODS) {
      const params = { taskId, inputResponses: {} }
      const { status, body } = await client.app.modern(method, params, { meta: TASKS, headers })
      expect([method, status, body.error.code]).toEqual([method, 400, -32020])
    }
  })

  it.each(['tasks/list', 'tasks/result'])('%s is no method of 2026-07-28', async (method) => {
    const { status, body } = await client.send(method, { taskId: 'x' })
    expect([status, body.error.code]).toEqual([404, -32601])
  })

  it.each([[undefined], [null], [7], [true], [['x']], [{ length: 1 }]])(
    'is refused when the id is %j and not a text',
    async (taskId) => {
      for (const method of METHODS) {
        const { body } = await client.app.modern(
          method,
          { taskId, inputResponses: {} },
          { meta: TASKS },
        )
        expect(body.error).toEqual({ code: -32602, message: 'params.taskId must be a string' })
      }
    },
  )

  it.each([[undefined], [null], ['sure.1'], [7], [[{ action: 'accept' }]]])(
    'tasks/update is refused when its responses are %j, and the task still asks',
    async (inputResponses) => {
      const taskId = await client.start(async (ctx) => (await ctx.elicit(ask)).action)
      await client.reaches(taskId, 'input_required')
      const { body } = await client.send('tasks/update', { taskId, inputResponses })
      expect(body.error).toEqual({
        code: -32602,
        message: 'params.inputResponses must be an object',
      })
      expect((await client.get(taskId)).status).toBe('input_required')
    },
  )

  it.each(METHODS)('%s finds no task after its lifetime', async (method) => {
    const taskId = await client.start(() => 'done', 'brief')
    await expect.poll(async () => (await client.get(taskId)).code).toBe(-32602)
    const { body } = await client.send(method, { taskId, inputResponses: {} })
    expect(body.error).toEqual(NOT_FOUND)
  })

  it.each(METHODS)(
    '%s finds no task after its lifetime while its alarm is late',
    async (method) => {
      const taskId = await client.start(async (ctx) => (await ctx.elicit(ask)).action)
      await client.reaches(taskId, 'input_required')
      await age(taskId)
      const { body } = await client.send(method, { taskId, inputResponses: {} })
      expect(body.error).toEqual(NOT_FOUND)
    },
  )
})

describe('a task whose lifetime is over while its alarm is late', () => {
  it('takes no delivery, and its author finds it no more', async () => {
    const taskId = await client.start(async (ctx) => String(await ctx.waitFor('event')))
    await age(taskId)
    const unknown = { reason: 'unknown-task' }
    await expect(control.deliver(taskId, 'event', true)).rejects.toMatchObject(unknown)
    expect(await control.get(taskId)).toBeUndefined()
    expect(await control.cancel(taskId)).toBeUndefined()
  })

  it('does not go on when it was interrupted', async () => {
    let runs = 0
    const taskId = await client.start(() => {
      runs++
      return new Promise<string>(() => undefined)
    })
    await expect.poll(() => runs).toBe(1)
    await kill(taskId)
    await age(taskId)
    expect(await client.get(taskId)).toEqual(NOT_FOUND)
    expect(runs).toBe(1)
  })
})
