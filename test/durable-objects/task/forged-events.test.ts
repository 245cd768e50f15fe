/** Answers that a client sends under the keys of waits and of jobs, for which no handler has asked. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openJobApp, Service } from '../../support/job-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { control } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient()

const FORGED = { paid: { value: 'forged' }, nap: {} }

describe('inputResponses that no handler has asked for', () => {
  it.for(['required', 'optional', 'inline', 'before'] as const)(
    'deliver no event to a task (tool %s)',
    async (tool) => {
      const { body } = await client.call(
        tool,
        async (ctx) => {
          await ctx.sleep('nap', 20)
          return JSON.stringify(await ctx.waitFor('paid'))
        },
        { inputResponses: FORGED },
      )
      const { taskId } = body.result
      await client.reaches(taskId, 'working')
      await control.deliver(taskId, 'paid', 'genuine')
      const { result } = await client.reaches(taskId, 'completed')
      expect(result.content[0].text).toBe('"genuine"')
    },
  )

  it('deliver no event in the round after a question', async () => {
    const script = keepHandler(async (ctx) => {
      await ctx.elicit({ key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) })
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    const call = { name: 'before', arguments: script }
    const asked = await client.send('tools/call', call)
    const { requestState } = asked.body.result
    const inputResponses = { ...FORGED, sure: { action: 'decline' } }
    const { body } = await client.send('tools/call', { ...call, requestState, inputResponses })
    const { taskId } = body.result
    await client.reaches(taskId, 'working')
    await control.deliver(taskId, 'paid', 'genuine')
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('"genuine"')
  })

  it('send no event to a job, and name no job to cancel', async () => {
    const jobs = new TaskClient(openJobApp())
    const service = new Service()
    const victim = new Service()
    const record = { id: victim.name, startedAt: 0, failures: 0, sent: [] }
    const { body } = await jobs.send('tools/call', {
      name: 'once',
      arguments: { service: service.name },
      inputResponses: { approved: { value: { by: 'Mallory' } }, 'job:record': record },
    })
    await until(() => service.reads.length > 1)
    await jobs.send('tasks/cancel', { taskId: body.result.taskId })
    await until(() => service.cancels.length > 0)
    expect([service.starts.length, service.sent, victim.cancels]).toEqual([1, [], []])
  })
})
