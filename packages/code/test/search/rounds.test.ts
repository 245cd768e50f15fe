/** Asks, steps and tasks of a tool that is called by `call_tool`. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { TASKS_EXTENSION } from '../../../../src/protocol/tasks.ts'
import { connectApp } from '../../../../test/support/test-app.ts'
import { accept, connect } from '../../../testing/src/index.ts'
import { doneIn, killObjects, searchApp } from './support/search-server.ts'

const order = (run: string) => ({ name: 'order', arguments: { run, item: 'x' } })

describe.each(['2026-07-28', '2025-11-25', '2025-06-18'] as const)(
  'a tool that asks, called by call_tool in %s',
  (revision) => {
    const open = (beforeAnswer = async () => undefined as unknown) =>
      connect(searchApp, {
        env,
        revision,
        capabilities: { elicitation: { form: {} } },
        elicit: async () => {
          await beforeAnswer()
          return accept({ sure: true })
        },
      })

    it('continues with the answer, and repeats no step', async () => {
      const run = crypto.randomUUID()
      const client = await open()
      const result = await client.callTool('call_tool', order(run))
      expect(result.text).toBe('x accept')
      expect(client.asks.map(({ params }) => params.message)).toEqual(['Order x?'])
      expect(doneIn(run)).toEqual(['reserve x', 'pay x'])
    })

    it('continues when the objects are killed before the answer', async () => {
      const run = crypto.randomUUID()
      const result = await (await open(killObjects)).callTool('call_tool', order(run))
      expect(result.text).toBe('x accept')
      expect(doneIn(run)).toEqual(['reserve x', 'pay x'])
    })

    it('is found with its arguments', async () => {
      const { text } = await (await open()).callTool('search_tools', { query: 'order' })
      expect(text).toContain('"name":"order"')
    })
  },
)

describe('the list in a session', () => {
  it.for(['2025-11-25', '2025-06-18'] as const)(
    'depends on what the client declared in %s',
    async (revision) => {
      const list = async (capabilities: object) => {
        const client = await connect(searchApp, { env, revision, capabilities })
        return (await client.listTools()).map(({ name }) => name)
      }
      expect(await list({})).toEqual(['search_tools', 'call_tool'])
      // `build` runs as a task only, which the earlier revision has not.
      const all = ['order', 'build', 'mark', 'mark_seen']
      const listed = revision === '2025-11-25' ? all : all.filter((name) => name !== 'build')
      expect(await list({ roots: {} })).toEqual(listed)
    },
  )
})

describe('a tool without tasks, called by call_tool with params.task', () => {
  const start = async (run: string, item: string) => {
    const app = connectApp(searchApp, env)
    const call = { name: 'mark', arguments: { run, item } }
    const { body } = await app.session('tools/call', {
      name: 'call_tool',
      arguments: call,
      task: {},
    })
    const { taskId } = body.result.task
    return { app, taskId }
  }

  it('has its result in the task', async () => {
    const run = crypto.randomUUID()
    const { app, taskId } = await start(run, 'x')
    const { body } = await app.session('tasks/result', { taskId })
    expect(body.result.content).toEqual([{ type: 'text', text: 'x marked' }])
    expect(doneIn(run)).toEqual(['mark x'])
  })

  it('becomes a task for a caller who sees it, when only some callers do', async () => {
    const app = connectApp(searchApp, env)
    const call = { name: 'mark_seen', arguments: { run: 'none', item: 'x' } }
    const { body } = await app.session('tools/call', {
      name: 'call_tool',
      arguments: call,
      task: {},
    })
    const { taskId } = body.result.task
    const ended = await app.session('tasks/result', { taskId })
    expect(ended.body.result.content).toEqual([{ type: 'text', text: 'marked' }])
  })

  it('is not called again after an interruption', async () => {
    const run = crypto.randomUUID()
    const { app, taskId } = await start(run, 'held')
    await expect.poll(() => doneIn(run)).toEqual(['mark held'])
    await killObjects()
    const { body } = await app.session('tasks/result', { taskId })
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toContain('interrupted while mark was running')
    expect(doneIn(run)).toEqual(['mark held'])
  })
})

describe('a tool that needs a task, called by call_tool', () => {
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
  }

  it('becomes the task of the tool, for a client with tasks', async () => {
    const run = crypto.randomUUID()
    const app = connectApp(searchApp, env)
    const params = {
      name: 'call_tool',
      arguments: { name: 'build', arguments: { run, item: 'y' } },
    }
    const { body } = await app.modern('tools/call', params, { meta })
    expect(body.result.resultType).toBe('task')
    const { taskId } = body.result
    const stateOf = async () => (await app.modern('tasks/get', { taskId }, { meta })).body.result
    await expect.poll(async () => (await stateOf()).status).toBe('completed')
    expect((await stateOf()).result.content[0].text).toBe('y built')
    expect(doneIn(run)).toEqual(['build y'])
  })

  it('is refused as by its name, for a client without tasks', async () => {
    const app = connectApp(searchApp, env)
    const args = { run: 'none', item: 'y' }
    const forwarded = await app.modern('tools/call', {
      name: 'call_tool',
      arguments: { name: 'build', arguments: args },
    })
    const direct = await app.modern('tools/call', { name: 'build', arguments: args })
    expect(forwarded.status).toBe(direct.status)
    expect(forwarded.body.error).toEqual(direct.body.error)
    expect(forwarded.body.error).toBeDefined()
  })

  it('answers a refusal of call_tool in line', async () => {
    const app = connectApp(searchApp, env)
    const { body } = await app.modern(
      'tools/call',
      { name: 'call_tool', arguments: { name: 'buld' } },
      { meta },
    )
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toContain('The nearest: build')
  })
})
