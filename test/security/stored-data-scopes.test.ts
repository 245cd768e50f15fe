/** What a tool with scopes stores: which of it belongs to the principal, and which to the programs that have its handle. */
// features: files, auth
import { describe, expect, it } from 'vitest'
import { TaskClient } from '../durable-objects/task/task-client.ts'
import type { Handler } from '../support/session-server.ts'
import { openAuthorizedTaskApp } from '../support/task-server.ts'

const app = openAuthorizedTaskApp()
const as = (token: string) => new TaskClient(app, token)

/** Runs a handler in the tool that needs the scope `write`, and returns its text. */
async function byWriter(person: string, handler: Handler): Promise<string> {
  const writer = as(`${person} write`)
  const taskId = await writer.start(handler, 'scoped')
  return (await writer.reaches(taskId, 'completed')).result.content[0].text
}

/** The same in the tool without scopes, for a token with the scope `read`. */
async function byReader(person: string, handler: Handler): Promise<string> {
  const { body } = await as(`${person} read`).call('plain', handler)
  return body.result.content[0].text
}

describe('what a tool with scopes has stored', () => {
  it('in ctx.state.principal is read by every tool of the person, and by no method', async () => {
    await byWriter('sam', async ({ state }) => {
      await state.principal.set('plan', 'secret plan')
      return 'stored'
    })
    const read: Handler = async ({ state }) => String(await state.principal.get('plan'))
    expect(await byReader('sam', read)).toBe('secret plan')
    expect(await byReader('eve', read)).toBe('undefined')
    for (const method of ['resources/list', 'resources/templates/list', 'tools/list']) {
      const { body } = await as('sam read').send(method)
      expect(JSON.stringify(body), method).not.toContain('secret plan')
    }
  })

  it('under a handle is read by the tools of the person that are given the handle', async () => {
    const handle = await byWriter('sam', ({ state }) => state.create('draft'))
    const read: Handler = async ({ state }) =>
      state.get<string>(handle).catch((error) => String(error.reason))
    expect(await byReader('sam', read)).toBe('draft')
    expect(await byReader('eve', read)).toBe('unknown-handle')
  })

  it('as a file is read by the programs of the person that have its URI, which no list has', async () => {
    const uri = await byWriter('sam', async (ctx) => {
      return (await ctx.file('report.txt', 'the report')).uri
    })
    const { body } = await as('sam read').send('resources/read', { uri })
    expect(body.result.contents[0].text).toBe('the report')
    expect((await as('eve read').send('resources/read', { uri })).body.error.code).toBe(-32602)
    const listed = await as('sam read').send('resources/list')
    expect(JSON.stringify(listed.body)).not.toContain('edgeway-file')
  })

  it('is not disclosed to a program without the scope by the task that has its URI', async () => {
    const writer = as('sam write')
    const taskId = await writer.start(async (ctx) => {
      return (await ctx.file('report.txt', 'the report')).uri
    }, 'scoped')
    await writer.reaches(taskId, 'completed')
    expect(JSON.stringify(await as('sam read').get(taskId))).not.toContain('edgeway-file')
  })
})
