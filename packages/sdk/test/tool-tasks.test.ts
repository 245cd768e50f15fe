/** Task tools of the SDK (`server.experimental.tasks`), which are durable tasks of Edgeway. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { TaskObject } from '../../../durable-objects/task/task-object.ts'
import { openTaskId } from '../../../src/features/tasks/task-ids.ts'
import { TaskClient, until } from '../../../test/durable-objects/task/task-client.ts'
import { accept } from '../../../test/support/accept.ts'
import { HttpSession } from '../../../test/support/http-session.ts'
import { objectsOfKind, testSealer } from '../../../test/support/objects.ts'
import { SseReader } from '../../../test/support/sse-reader.ts'
import { ENDPOINT } from '../../../test/support/test-app.ts'
import {
  ask,
  keepWork,
  openToolTaskApp,
  say,
  type Work,
} from '../../../test/support/tool-task-server.ts'
import { create, listed } from './sdk-app.ts'

const toolTaskApp = openToolTaskApp()
const client = new TaskClient(toolTaskApp)

async function start(tool: string, args: object = {}): Promise<string> {
  const { body } = await client.send('tools/call', { name: tool, arguments: args })
  expect(body.result?.resultType, JSON.stringify(body)).toBe('task')
  return body.result.taskId
}

const openSession = () => HttpSession.open({ url: ENDPOINT, fetch: toolTaskApp.fetch }, {})

describe('registerToolTask() of a moved server', () => {
  it('makes a tool whose call is a task, which ends with the result that its work stores', async () => {
    const stored = Promise.withResolvers<void>()
    const work = keepWork(async (taskId, { taskStore }) => {
      await taskStore.updateTaskStatus(taskId, 'working', 'Gathering sources...')
      await stored.promise
      await taskStore.storeTaskResult(taskId, 'completed', say(`done: ${taskId}`))
    })
    const taskId = await start('required', work)
    await expect
      .poll(async () => (await client.get(taskId)).statusMessage)
      .toBe('Gathering sources...')
    expect((await client.get(taskId)).status).toBe('working')
    stored.resolve()
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe(`done: ${taskId}`)
  })

  it('serves the tasks of 2025-11-25, with the question of the work on tasks/result', async () => {
    const session = await openSession()
    const work = keepWork(async (taskId, extra) => {
      const which = await ask(taskId, extra)
      await extra.taskStore.storeTaskResult(taskId, 'completed', say(which))
    })
    const call = { name: 'required', arguments: work, task: { ttl: 60_000 } }
    const { result } = await session.request('tools/call', call)
    expect(result.task).toMatchObject({ status: 'working', ttl: 60_000 })
    const { taskId } = result.task
    const stream = new SseReader(await session.send('tasks/result', { taskId }))
    const question = await stream.message()
    expect(question.method).toBe('elicitation/create')
    await session.answer(question, accept({ which: 'the second' }))
    expect((await stream.message()).result.content[0].text).toBe('the second')
  })

  it('shows the question of the work in tasks/get of 2026-07-28', async () => {
    const work = keepWork(async (taskId, extra) => {
      const which = await ask(taskId, extra)
      await extra.taskStore.storeTaskResult(taskId, 'completed', say(which))
    })
    const taskId = await start('required', work)
    const { inputRequests } = await client.reaches(taskId, 'input_required')
    const [key = ''] = Object.keys(inputRequests)
    await client.answer(taskId, { [key]: accept({ which: 'first' }) })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('first')
  })

  it('declares required tasks unless the tool says otherwise', async () => {
    const { result } = await (await openSession()).request('tools/list')
    const supports = result.tools.map(
      ({ name, execution }: { name: string; execution?: { taskSupport: string } }) => [
        name,
        execution?.taskSupport,
      ],
    )
    expect(Object.fromEntries(supports)).toMatchObject({
      required: 'required',
      optional: 'optional',
      without_arguments: 'required',
    })
    expect((await listed(toolTaskApp, 'tools'))[0]).toMatchObject({ title: 'Works' })
  })

  it('answers a client without tasks with the result, if the tool does not require one', async () => {
    const call = {
      arguments: keepWork(async (id, { taskStore }) => {
        await taskStore.storeTaskResult(id, 'completed', say('direct'))
      }),
    }
    const direct = await toolTaskApp.modern('tools/call', { name: 'optional', ...call })
    expect(direct.body.result.content[0].text).toBe('direct')
    const refused = await toolTaskApp.modern('tools/call', { name: 'required', ...call })
    expect(refused.body.error.code).toBe(-32021)
  })

  it('runs createTask without arguments for a tool without a schema', async () => {
    const taskId = await start('without_arguments')
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('at once')
  })

  it('starts the work again after a kill, under the same id', async () => {
    const ids: string[] = []
    const work = keepWork(async (taskId, { taskStore }) => {
      ids.push(taskId)
      if (ids.length === 2) await taskStore.storeTaskResult(taskId, 'completed', say('again'))
    })
    const taskId = await start('required', work)
    await until(() => ids.length === 1)
    const sealer = testSealer()
    const { name = '' } = (await openTaskId(sealer, 'tool-tasks', taskId)) ?? {}
    const stub = objectsOfKind<TaskObject>('task', 'tool-tasks').named(name)
    await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
    await client.reaches(taskId, 'completed')
    expect(ids).toEqual([taskId, taskId])
  })

  const failures: readonly (readonly [string, Work, string])[] = [
    ['is thrown', () => Promise.reject(new Error('out of paper')), 'Error: out of paper'],
    [
      'is stored',
      (id, { taskStore }) => taskStore.storeTaskResult(id, 'failed', say('no paper')),
      'no paper',
    ],
    [
      'is the status',
      (id, { taskStore }) => taskStore.updateTaskStatus(id, 'cancelled'),
      'The task is cancelled.',
    ],
  ]

  it.each(failures)(
    'reports a failure of the work that %s as a tool error',
    async (_, work, text) => {
      const { result } = await client.reaches(await start('required', keepWork(work)), 'completed')
      expect([result.isError, result.content[0].text]).toEqual([true, text])
    },
  )

  it('reports a tool that has created no task', async () => {
    const { result } = await client.reaches(await start('without_task'), 'completed')
    expect([result.isError, result.content[0].text]).toEqual([
      true,
      'createTask has created no task in extra.taskStore',
    ])
  })

  it('aborts the signal of the work when its task is cancelled, and takes no result of it', async () => {
    let refusal: unknown
    let isRunning = false
    const taskId = await start(
      'required',
      keepWork(async (id, { signal, taskStore }) => {
        isRunning = true
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        refusal = await taskStore.storeTaskResult(id, 'completed', say('late')).catch(String)
      }),
    )
    await until(() => isRunning)
    await client.send('tasks/cancel', { taskId })
    await until(() => refusal !== undefined)
    expect(refusal).toContain('its status is cancelled')
    expect((await client.get(taskId)).status).toBe('cancelled')
  })

  it('has a store that knows the task of its call alone', async () => {
    const seen: unknown[] = []
    const work = keepWork(async (taskId, { taskStore }) => {
      const { status, ttl, pollInterval } = await taskStore.getTask(taskId)
      seen.push(status, ttl, pollInterval)
      seen.push(await taskStore.getTask('another').catch(String))
      seen.push(await taskStore.getTaskResult(taskId).catch(String))
      seen.push((await taskStore.listTasks()).tasks.map((task) => task.taskId === taskId))
      seen.push(await taskStore.createTask({}).catch(String))
      await taskStore.storeTaskResult(taskId, 'completed', say('done'))
      seen.push(await taskStore.getTaskResult(taskId))
    })
    const taskId = await start('required', work)
    await client.reaches(taskId, 'completed')
    expect(seen).toEqual([
      'working',
      300_000,
      1000,
      'Error: Failed to retrieve task: Task not found',
      `Error: Task ${taskId} has no result stored`,
      [true],
      'Error: A call has one task',
      say('done'),
    ])
  })

  it('refuses a tool whose tasks are forbidden, and one without createTask', () => {
    const { tasks } = create().experimental
    const handler = { createTask: () => undefined } as never
    const execution = { taskSupport: 'forbidden' as 'optional' }
    expect(() => tasks.registerToolTask('no', { execution }, handler)).toThrow(/"optional" or/)
    expect(() => tasks.registerToolTask('no', {}, {} as never)).toThrow(/needs createTask/)
  })
})
