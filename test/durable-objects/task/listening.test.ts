// features: tasks, changes
import { describe, expect, it } from 'vitest'
import { SseReader } from '../../support/sse-reader.ts'
import { control, openAuthorizedTaskApp, TASKS } from '../../support/task-server.ts'
import { modernRequest } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from './task-client.ts'

const client = new TaskClient()

async function listen(taskIds: readonly string[], { app } = client, meta: object = TASKS) {
  const params = { notifications: { taskIds } }
  const { body, headers } = modernRequest('subscriptions/listen', params, { meta: { ...meta } })
  return app.post(body, headers)
}

const WAITS = async (ctx: Parameters<Parameters<TaskClient['start']>[0]>[0]) =>
  JSON.stringify(await ctx.waitFor('event'))

describe('subscriptions/listen with task ids', () => {
  it('acknowledges the tasks of the caller, and sends each state that tasks/get returns', async () => {
    verifies('tasks/no-progress-for-tasks')
    const taskId = await client.start(WAITS)
    const stream = new SseReader(await listen([taskId, 'nonsense']))
    const acknowledged = await stream.message()
    expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged')
    expect(acknowledged.params?.notifications).toEqual({ taskIds: [taskId] })
    const present = await stream.message()
    expect(present).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'working' },
    })
    await control.deliver(taskId, 'event', 7)
    let last = await stream.message()
    while (last.params?.status === 'working') last = await stream.message()
    const { _meta, resultType, ...state } = await client.get(taskId)
    const { _meta: subscription, ...told } = last.params as Record<string, unknown>
    expect(told).toEqual(state)
    expect(subscription).toEqual({ 'io.modelcontextprotocol/subscriptionId': 1 })
    await stream.leave()
  })

  it('leaves out the task of another principal', async () => {
    const app = openAuthorizedTaskApp()
    const taskId = await new TaskClient(app, 'alice').start(WAITS)
    const stream = new SseReader(await listen([taskId], { app } as TaskClient))
    expect((await stream.message()).params?.notifications).toEqual({ taskIds: [] })
    await stream.leave()
  })

  it.for([
    ['for a client that does not declare tasks', ['x'], {}, -32021],
    ['for ids that are no strings', [7], TASKS, -32602],
    ['for too many ids', new Array(101).fill('x'), TASKS, -32602],
  ] as const)('is refused %s', async ([, ids, meta, code]) => {
    verifies('tasks/listening-needs-the-capability', {
      row: 'for a client that does not declare tasks',
    })

    const response = await listen(ids as readonly string[], client, meta)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { code: number } }
    expect(error.code).toBe(code)
  })
})
