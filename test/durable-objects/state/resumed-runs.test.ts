import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { accept } from '../../support/accept.ts'
import type { FullContext } from '../../support/full-server.ts'
import { CAN_ALL, openSession, textOf } from '../../support/session-client.ts'
import { keepHandler } from '../../support/session-server.ts'
import { kill } from '../session/lifetime.ts'
import { TaskClient } from '../task/task-client.ts'
import { as, outcomeOf, run } from './run.ts'

const ask = (ctx: FullContext) =>
  ctx.elicit({ key: 'go', message: 'Go on?', schema: z.object({ ok: z.boolean() }) })

describe('a handler that runs again after an ask', () => {
  it('has the same handles and values again, and repeats no effect', async () => {
    const shared = await run((ctx) => ctx.state.create('before'))
    const created: string[][] = []
    const client = new TaskClient()
    const work = async (ctx: FullContext) => {
      const handles = await Promise.all([ctx.state.create('a'), ctx.state.create('b'.repeat(9000))])
      created.push(handles)
      const seen = await ctx.state.get(shared)
      const conflict = await outcomeOf(ctx.state.update(shared, 'x', { expected: 'other' }))
      const deleted = await outcomeOf(ctx.state.delete(handles[0] ?? ''))
      await ask(ctx)
      return JSON.stringify([seen, conflict, deleted, await ctx.state.get(shared)])
    }
    const call = (round: object = {}) =>
      client.send('tools/call', { name: 'plain', arguments: script, ...round })
    const script = keepHandler(work)
    const first = await call()
    const { requestState } = first.body.result
    expect(requestState).toBeTypeOf('string')
    await run((ctx) => ctx.state.update(shared, 'after'))
    const { body } = await call({ requestState, inputResponses: { go: accept({ ok: true }) } })
    expect(body.error?.message).toBeUndefined()
    expect(JSON.parse(body.result.content[0].text)).toEqual(['before', 'changed', 'done', 'after'])
    expect(created[1]).toEqual(created[0])
  })

  it('in a session repeats no effect, also after a kill of the session object', async () => {
    const session = await openSession({ capabilities: CAN_ALL })
    const stream = await session.stream(async (ctx) => {
      const counter = await ctx.state.create('a counter')
      const runs = (await ctx.state.session.get<number>('runs')) ?? 0
      await ctx.state.session.set('runs', runs + 1)
      await ctx.state.update(counter, runs + 1)
      await ask(ctx)
      return JSON.stringify([await ctx.state.get(counter), await ctx.state.session.get('runs')])
    })
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    await kill(session)
    await session.answer(question, accept({ ok: true }))
    const answered = await stream.message()
    expect(answered && textOf(answered)).toBe('[1,1]')
  })

  it('in a task works for its caller, and has no session', async () => {
    const client = as('resumed read')
    const taskId = await client.start(async (ctx) => {
      const handle = await ctx.state.create('kept')
      await ctx.sleep('nap', 20)
      await ctx.state.principal.set('last', handle)
      return JSON.stringify([
        await ctx.state.get(handle),
        await outcomeOf(ctx.state.session.get('key')),
      ])
    })
    const { result } = await client.reaches(taskId, 'completed')
    expect(JSON.parse(result.content[0].text)).toEqual(['kept', 'no-session'])
    const last = await run((ctx) => ctx.state.principal.get<string>('last'), client)
    expect(await run((ctx) => ctx.state.get(last ?? ''), client)).toBe('kept')
  })
})
