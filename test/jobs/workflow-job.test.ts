import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { TaskObject } from '../../durable-objects/task/task-object.ts'
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import { TaskClient, until } from '../durable-objects/task/task-client.ts'
import { objectsOfKind, testSealer } from '../support/objects.ts'
import { begun } from './worker.ts'
import { app, control, events } from './workflows-server.ts'

const client = new TaskClient(app)

/** Calls the tool and returns the id of its task and that of its instance. */
async function order(how: string) {
  const { body } = await client.send('tools/call', { name: 'order', arguments: { how } })
  const { taskId } = body.result
  const { name } = (await openTaskId(testSealer(), 'workflows', taskId)) ?? {}
  if (name === undefined) throw new TypeError('The task id does not open')
  const kill = () =>
    runInDurableObject(objectsOfKind<TaskObject>('task', 'workflows').named(name), (_, ctx) =>
      ctx.abort('killed'),
    ).catch(() => undefined)
  return { taskId: taskId as string, id: `task-${name}`, kill }
}

const statusOf = async (id: string) => (await (await env.SCRIPTED.get(id)).status()).status

/** Starts an instance that waits for its event. */
async function waiting() {
  const ordered = await order('wait')
  await until(() => begun.includes(ordered.id))
  return ordered
}

describe('a task backed by a Workflow', () => {
  it('returns the output of the Workflow', async () => {
    const { taskId, id } = await order('return')
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.structuredContent).toEqual({ value: 'return' })
    expect(begun.filter((each) => each === id)).toHaveLength(1)
  })

  it('ends with the message of a ToolError that the Workflow has thrown', async () => {
    const { taskId } = await order('refuse')
    const { result } = await client.reaches(taskId, 'completed')
    expect([result.isError, result.content[0].text]).toEqual([true, 'The order cannot be served.'])
  })

  it('does not disclose the message of any other error, which telemetry receives', async () => {
    const { taskId } = await order('throw')
    const task = await client.reaches(taskId, 'completed')
    expect(task.result.content[0].text).toMatch(/^Tool order failed \(reference /)
    expect(JSON.stringify(task)).not.toContain('hunter2')
    const reported = events.find(({ type }) => type === 'handler-error')
    expect(String((reported as { error?: unknown }).error)).toContain('hunter2')
  })

  it('sends what is delivered to the task to the instance as an event', async () => {
    const { taskId } = await waiting()
    await expect(control.deliver(taskId, 'go', { ok: 'yes' })).rejects.toMatchObject({
      reason: 'does-not-fit',
    })
    await control.deliver(taskId, 'go', { ok: true })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.structuredContent).toEqual({ value: '{"ok":true}' })
  })

  it('terminates the instance when it is cancelled', async () => {
    const { taskId, id } = await waiting()
    await client.send('tasks/cancel', { taskId })
    await expect.poll(() => statusOf(id)).toBe('terminated')
    expect((await client.get(taskId)).status).toBe('cancelled')
  })

  it('ends with an error when the instance was terminated by its owner', async () => {
    const { taskId, id } = await waiting()
    await (await env.SCRIPTED.get(id)).terminate()
    const { result } = await client.reaches(taskId, 'completed')
    expect([result.isError, result.content[0].text]).toEqual([true, 'The Workflow was terminated.'])
  })

  it('fails when the instance does not exist any more', async () => {
    const { taskId, id } = await waiting()
    await (await env.SCRIPTED.get(id)).delete()
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toContain('could not be read')
  })

  it('has one instance, though its start was interrupted after the instance was created', async () => {
    const { taskId, id, kill } = await order('wait')
    await until(() => begun.includes(id))
    await kill()
    await client.get(taskId)
    await control.deliver(taskId, 'go', { ok: true })
    await client.reaches(taskId, 'completed')
    expect(begun.filter((each) => each === id)).toHaveLength(1)
  })
})
