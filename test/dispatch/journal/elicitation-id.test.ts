/** The `elicitationId` of questions by URL in 2026-07-28: some clients refuse a question without it. */
import { describe, expect, it } from 'vitest'
import { FullServer } from '../../support/full-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { openTaskApp } from '../../support/task-server.ts'
import { openApp, type TestApp } from '../../support/test-app.ts'

const PAY = { message: 'Pay', url: 'https://shop.example/pay' }

const META = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { url: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

const server = new FullServer({ name: 'elicitation-ids', version: '1.0.0' })
server.registerTool('pay', {}, async (ctx) => (await ctx.elicit(PAY)).action)
server.registerTool('order', {}, async (ctx) => {
  const { action } = await ctx.elicit({ ...PAY, elicitationId: 'order-7' })
  return action
})
const send = async (app: TestApp, method: string, params: Record<string, unknown>) =>
  (await app.modern(method, params, { meta: META })).body.result

type Asks = Record<string, { params: { elicitationId: string } }>

const idsIn = (asks: Asks) => Object.values(asks).map(({ params }) => params.elicitationId)

async function askedBy(name: string): Promise<Asks> {
  return (await send(openApp(server), 'tools/call', { name })).inputRequests
}

describe('a question by URL in 2026-07-28', () => {
  it('has an id of its own each time that it is asked', async () => {
    const ids = [...idsIn(await askedBy('pay')), ...idsIn(await askedBy('pay'))]
    expect(ids).toEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      expect.stringMatching(/^[\w-]{22}$/),
    ])
    expect(new Set(ids).size).toBe(2)
  })

  it('has the id that its author gives', async () => {
    expect(idsIn(await askedBy('order'))).toEqual(['order-7'])
  })

  it('keeps its id in a task, which no other question and no other task has', async () => {
    const tasks = openTaskApp()
    const start = async () => {
      const script = keepHandler(async (ctx) => {
        const again = ctx.elicit({ ...PAY, key: 'again' })
        return (await Promise.all([ctx.elicit(PAY), again])).length.toString()
      })
      const call = { name: 'required', arguments: script }
      const { taskId } = await send(tasks, 'tools/call', call)
      const read = async (): Promise<string[]> =>
        idsIn((await send(tasks, 'tasks/get', { taskId })).inputRequests ?? {})
      await expect.poll(read).toHaveLength(2)
      return { first: await read(), second: await read() }
    }
    const one = await start()
    const other = await start()
    expect(one.second).toEqual(one.first)
    expect(new Set([...one.first, ...other.first]).size).toBe(4)
    expect(one.first[0]).toMatch(/^[\x21-\x7e]{1,256}$/)
  })
})
