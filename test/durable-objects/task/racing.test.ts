import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { control } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'

const ASK = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

const client = new TaskClient()

async function wireKeyOf(taskId: string): Promise<string> {
  const { inputRequests } = await client.reaches(taskId, 'input_required')
  return Object.keys(inputRequests)[0] ?? ''
}

describe('a task that waits for an answer and a time at once', () => {
  it('goes on with the answer before the time', async () => {
    const taskId = await client.start(async (ctx) => {
      const deadline = ctx.sleep('deadline', 3_600_000).then(() => 'late')
      return Promise.race([ctx.elicit(ASK).then(({ action }) => action), deadline])
    })
    await client.answer(taskId, { [await wireKeyOf(taskId)]: { action: 'decline' } })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('decline')
  })

  it('takes the answer while its handler runs for another reason, and does not ask again', async () => {
    const go = Promise.withResolvers<void>()
    let isSlow = false
    const taskId = await client.start(async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 500), answered])
      await ctx.step('slow', async () => {
        isSlow = true
        await go.promise
      })
      return answered
    })
    const key = await wireKeyOf(taskId)
    await until(() => isSlow)
    await client.answer(taskId, { [key]: { action: 'decline' } })
    go.resolve()
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('decline')
  })

  it('goes on with an answer that came while its handler ran, also when it races the ask again', async () => {
    const go = Promise.withResolvers<void>()
    let isSlow = false
    const taskId = await client.start(async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 500), answered])
      await ctx.step('slow', async () => {
        isSlow = true
        await go.promise
      })
      return Promise.race([answered, ctx.waitFor('never').then(String)])
    })
    const key = await wireKeyOf(taskId)
    await until(() => isSlow)
    await client.answer(taskId, { [key]: { action: 'decline' } })
    go.resolve()
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('decline')
  })

  it('withdraws an ask that its handler does not wait for any more, as after a deployment', async () => {
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      runs++
      const go = ctx.waitFor('go')
      await (runs === 1 ? Promise.race([ctx.elicit(ASK), go]) : go)
      return (await ctx.elicit({ ...ASK, key: 'next' })).action
    })
    const first = await wireKeyOf(taskId)
    await control.deliver(taskId, 'go', true)
    await expect.poll(() => wireKeyOf(taskId)).not.toBe(first)
    const { inputRequests } = await client.get(taskId)
    expect(Object.keys(inputRequests)).toEqual(['next.2'])
    await client.answer(taskId, { 'next.2': { action: 'decline' } })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('decline')
  })

  it('keeps the key of an open ask when its handler goes on for another reason', async () => {
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      runs++
      const answered = ctx.elicit(ASK)
      await Promise.race([ctx.sleep('first', 300), answered])
      return (await answered).action
    })
    expect(await wireKeyOf(taskId)).toBe('sure.1')
    await until(() => runs === 2)
    expect(await wireKeyOf(taskId)).toBe('sure.1')
    await client.answer(taskId, { 'sure.1': { action: 'decline' } })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('decline')
  })
})
