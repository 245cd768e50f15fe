/** Jobs whose Workflow answers what the local Workflows of `test/jobs` cannot be brought to. */
import { describe, expect, it } from 'vitest'
import { jobEvents, openJobApp } from '../../support/job-server.ts'
import { ScriptedInstance } from '../../support/scripted-workflow.ts'
import { plannedCancellation, rowsOf, runAlarm } from './job-rows.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient(openJobApp())

async function start(instance: ScriptedInstance): Promise<string> {
  const args = { name: 'workflow', arguments: { instance: instance.name } }
  const { body } = await client.send('tools/call', args)
  expect(body.result?.resultType, JSON.stringify(body)).toBe('task')
  return body.result.taskId
}

const hang = () => new Promise<void>(() => undefined)

/** The end of a task whose instance has this status. */
async function endWith(status: ScriptedInstance['status']) {
  const instance = new ScriptedInstance()
  instance.status = status
  return (await client.reaches(await start(instance), 'completed')).result
}

describe('a task backed by a Workflow', () => {
  it('returns the output as the author converts it', async () => {
    const result = await endWith({ status: 'complete', output: 7 })
    expect(result.structuredContent).toEqual({ is: '7' })
  })

  it('goes on while its status is unknown', async () => {
    const instance = new ScriptedInstance()
    instance.status = { status: 'unknown' }
    const taskId = await start(instance)
    await until(() => instance.looks > 1)
    expect((await client.get(taskId)).status).toBe('working')
    instance.status = { status: 'complete', output: 'done' }
    await client.reaches(taskId, 'completed')
  })

  it.each(['queued', 'running', 'paused', 'waiting', 'a status of a later version'])(
    'is working while the Workflow is %s',
    async (status) => {
      const instance = new ScriptedInstance()
      instance.status = { status }
      const taskId = await start(instance)
      await until(() => instance.looks > 1)
      expect((await client.get(taskId)).status).toBe('working')
    },
  )

  it.each([
    { name: 'ToolError', message: 'No such page.' },
    { name: 'Error', message: 'ToolError: No such page.' },
  ])('has the message of the error %j of its Workflow', async (error) => {
    const result = await endWith({ status: 'errored', error })
    expect([result.isError, result.content[0].text]).toEqual([true, 'No such page.'])
  })

  it.each([
    { name: 'Error', message: 'password=hunter2' },
    { name: 'Error', message: 'It has thrown ToolError: password=hunter2' },
    { name: 'ToolErrors', message: 'password=hunter2' },
    null,
  ])('discloses nothing of the error %j of its Workflow', async (error) => {
    const before = jobEvents.length
    const result = await endWith({ status: 'errored', error })
    expect(result.content[0].text).toMatch(/^Tool workflow failed \(reference /)
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(jobEvents.slice(before)).toContainEqual(
      expect.objectContaining({ type: 'handler-error', subject: 'Tool workflow' }),
    )
  })
})

describe('the cancellation of a task backed by a Workflow', () => {
  it.each(['complete', 'errored', 'terminated'])(
    'terminates nothing when the Workflow is %s already',
    async (status) => {
      const instance = new ScriptedInstance()
      const taskId = await start(instance)
      instance.onStatus = hang
      const { looks } = instance
      await until(() => instance.looks > looks)
      await client.send('tasks/cancel', { taskId })
      instance.onStatus = () => undefined
      instance.status = { status }
      await rowsOf(taskId, 'UPDATE job SET next_at = 0')
      await runAlarm(taskId)
      await expect.poll(() => plannedCancellation(taskId)).toBeUndefined()
      expect(instance.terminations).toBe(0)
    },
  )

  it('finds the instance by its key when its creation has not returned', async () => {
    const instance = new ScriptedInstance()
    instance.onCreate = hang
    const taskId = await start(instance)
    await until(() => instance.ids.length === 1)
    await client.send('tasks/cancel', { taskId })
    await rowsOf(taskId, 'UPDATE job SET next_at = 0')
    await runAlarm(taskId)
    expect(instance.terminations).toBe(1)
  })
})
