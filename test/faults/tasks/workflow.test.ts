/** Kills the process while a task waits for a Workflow, which waits for an editor. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { TaskCaller } from '../../attacks/tasks/task-caller.ts'
import { delay } from '../sessions/delay.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

const configPath = join(PROJECT_DIRECTORY, 'examples/workflow/wrangler.toml')

describe('a killed server with a Workflow', () => {
  it('finishes the task with the result of its one instance, over three kills', async ({
    onTestFinished,
  }) => {
    const vars = { EDITOR_TOKEN: 'editor' }
    const server = await PersistentServer.start(onTestFinished, { configPath, vars })
    const restart = async () => new TaskCaller(await server.restart())
    const approve = (taskId: string) =>
      fetch(new URL('/approvals', server.url), {
        method: 'POST',
        headers: { authorization: 'Bearer editor' },
        body: JSON.stringify({ taskId, by: 'Ada' }),
      })

    const draft = { slug: 'hello', text: 'Hello.' }
    const taskId = await new TaskCaller(server.url).create('publish_page', draft)
    // While the instance is created, then while it waits, then with its event on the way.
    expect(await (await restart()).statusOf(taskId)).toBe('working')
    await delay(1500)
    await restart()
    expect((await approve(taskId)).status).toBe(202)
    const caller = await restart()
    await expect.poll(() => caller.statusOf(taskId), { timeout: 60_000 }).toBe('completed')
    const { result } = await caller.get(taskId)
    expect(result.structuredContent).toEqual({ path: '/pages/hello', approvedBy: 'Ada' })
    expect((await approve(taskId)).status).toBe(409)
  })
})
