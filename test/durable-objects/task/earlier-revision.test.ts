// features: sessions
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ErrorCode, ProtocolError } from '../../../src/index.ts'
import { HttpSession } from '../../support/http-session.ts'
import { failingAt } from '../../support/objects.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import {
  objectOf,
  openAuthorizedTaskApp,
  openTaskApp,
  taskServer,
} from '../../support/task-server.ts'
import { ENDPOINT, openApp, type TestApp } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from './task-client.ts'

const RELATED = 'io.modelcontextprotocol/related-task'

const ASK = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

function open(app: TestApp = openTaskApp(), version = '2025-11-25') {
  return HttpSession.open({ url: ENDPOINT, fetch: app.fetch }, { version })
}

async function start(session: HttpSession, handler: Handler, task: object = {}, tool = 'required') {
  const call = { name: tool, arguments: keepHandler(handler), task }
  return session.request('tools/call', call)
}

async function idOf(session: HttpSession, handler: Handler): Promise<string> {
  const { result } = await start(session, handler)
  return result?.task.taskId
}

describe('a server with tasks, in 2025-11-25', () => {
  it('declares tasks, and their list for callers with a principal only', async () => {
    verifies('earlier-tasks/capability-is-declared')
    const initialize = (app: TestApp) =>
      app.session('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    const { body } = await initialize(openTaskApp())
    const tasks = { cancel: {}, requests: { tools: { call: {} } } }
    expect(body.result.capabilities.tasks).toEqual(tasks)
    const known = await initialize(openAuthorizedTaskApp())
    expect(known.body.result.capabilities.tasks).toEqual({ ...tasks, list: {} })
  })

  it('declares which tools have tasks, and nothing of it in earlier revisions', async () => {
    const listed = async (version: string) => {
      const { result } = await (await open(openTaskApp(), version)).request('tools/list')
      return new Map<string, object | undefined>(
        result?.tools.map(({ name, execution }: { name: string; execution?: object }) => [
          name,
          execution,
        ]),
      )
    }
    const [optional, required] = [{ taskSupport: 'optional' }, { taskSupport: 'required' }]
    const expected = {
      plain: undefined,
      optional,
      required,
      inline: optional,
      before: required,
      brief: required,
      scoped: required,
      // The tool by which a client that sends no params.task waits for a call.
      get_result: undefined,
    }
    const tools = await listed('2025-11-25')
    expect(Object.keys(expected).filter((name) => !tools.has(name))).toEqual([])
    for (const [name, execution] of Object.entries(expected)) {
      expect(tools.get(name), name).toEqual(execution)
    }
    expect(new Set((await listed('2025-06-18')).values())).toEqual(new Set([undefined]))
  })

  it('answers tasks/get with JSON however slow it is: its client polls', async () => {
    const app = openTaskApp()
    const session = await open(app)
    const taskId = await idOf(session, () => 'done')
    const isBusy = runInDurableObject(await objectOf(taskId), (_, ctx) =>
      // Longer than `streamAfterMs`.
      ctx.blockConcurrencyWhile(() => new Promise((resolve) => setTimeout(resolve, 2_300))),
    )
    const poll = { jsonrpc: '2.0', id: 'poll', method: 'tasks/get', params: { taskId } }
    const answers = await Promise.all([
      session.post(poll),
      app.post(poll, { 'mcp-protocol-version': '2025-11-25' }),
    ])
    await isBusy
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(await answer.json()).toMatchObject({ id: 'poll', result: { taskId } })
    }
    const stream = await session.post(poll, { accept: 'text/event-stream' })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(await readMessage(stream)).toMatchObject({ id: 'poll', result: { taskId } })
  })

  it('lists no get_result to a client that declares tasks in capabilities of more than 2 KB', async () => {
    const listed = async (capabilities: object) => {
      const endpoint = { url: ENDPOINT, fetch: openTaskApp().fetch }
      const session = await HttpSession.open(endpoint, { capabilities })
      const { result } = await session.request('tools/list')
      return result?.tools.some(({ name }: { name: string }) => name === 'get_result')
    }
    const experimental = { padding: { text: 'x'.repeat(3000) } }
    expect(await listed({ experimental, tasks: {} })).toBe(false)
    expect(await listed({ experimental })).toBe(true)
  })

  it.for(['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'])(
    'has no method %s in earlier revisions',
    async (method) => {
      const session = await open(openTaskApp(), '2025-06-18')
      expect((await session.request(method, { taskId: 'x' })).error?.code).toBe(-32601)
    },
  )
})

describe('a call with params.task', () => {
  it('is a task at once, for the requested time', async () => {
    verifies('earlier-tasks/id-is-a-string', 'earlier-tasks/id-is-of-the-server')
    verifies('earlier-tasks/begins-working', 'earlier-tasks/times-are-in-every-task')
    verifies('earlier-tasks/ttl-is-the-actual-one', 'earlier-tasks/task-is-the-response')
    const session = await open()
    const { result } = await start(session, () => 'done', { ttl: 60_000 }, 'optional')
    expect(result).toEqual({
      task: {
        taskId: expect.any(String),
        status: 'working',
        createdAt: expect.any(String),
        lastUpdatedAt: expect.any(String),
        ttl: 60_000,
        pollInterval: 1000,
      },
    })
  })

  it('has a lifetime of at most tasks({ ttlMs }), also when a longer one is requested', async () => {
    const call = { name: 'optional', arguments: keepHandler(() => 'done'), task: { ttl: 90_001 } }
    const { body } = await openTaskApp({ ttlMs: 90_000 }).session('tools/call', call)
    expect(body.result.task.ttl).toBe(90_000)
  })

  it.for([
    ['a tool without tasks', 'plain', {}, -32601],
    ['a task that is no object', 'optional', 'yes', -32602],
    ['a task that is a list', 'optional', [], -32602],
    ['a lifetime that is no number', 'optional', { ttl: 'long' }, -32602],
    ['a lifetime that is true', 'optional', { ttl: true }, -32602],
    ['a lifetime in a list', 'optional', { ttl: [1000] }, -32602],
    ['a negative lifetime', 'optional', { ttl: -1 }, -32602],
    ['a lifetime of zero', 'optional', { ttl: 0 }, -32602],
  ] as const)('is refused for %s', async ([, name, task, code]) => {
    verifies('earlier-tasks/client-respects-task-support', { row: 'a tool without tasks' })
    const session = await open()
    const call = { name, arguments: { script: 'none' }, task }
    expect((await session.request('tools/call', call)).error?.code).toBe(code)
  })

  it.for([
    ['{"ttl":-1e999}', -32602],
    ['{"ttl":NaN}', -32700],
    ['{"ttl":1000,"ttl":2000}', -32600],
    // The longest lifetime is a limit of the server.
    ['{"ttl":1e999}', 604_800_000],
    ['{"ttl":9007199254740993}', 604_800_000],
    ['{"ttl":60000.9}', 60_000],
    ['{}', 86_400_000],
    ['{"ttl":null}', 86_400_000],
    ['{"pollInterval":-4}', 86_400_000],
  ] as const)('of the text %s has the error, or the lifetime, %d', async ([task, expected]) => {
    const app = openTaskApp()
    const session = await open(app)
    const { script } = keepHandler(() => 'done')
    const params = `{"name":"optional","arguments":{"script":"${script}"},"task":${task}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    const headers = session.headers('POST')
    const response = await app.fetch(new Request(ENDPOINT, { method: 'POST', headers, body }))
    const { result, error } = await readMessage(response)
    expect(error?.code ?? result?.task.ttl).toBe(expected)
  })

  it('is refused with a JSON-RPC error for arguments that do not fit, not answered with the result of a tool', async () => {
    const session = await open()
    const call = { name: 'optional', arguments: { script: 1 } }
    const refused = await session.request('tools/call', { ...call, task: {} })
    expect(refused.result).toBeUndefined()
    expect(refused.error?.code).toBe(-32602)
    expect(refused.error?.message).toMatch(/^Invalid arguments for optional:\nscript: /)
    const { result } = await session.request('tools/call', call)
    expect(result?.isError).toBe(true)
  })

  it('is answered with a JSON-RPC error when the task cannot be started', async () => {
    const bindings = failingAt({ ...env }, 'task')
    const call = { name: 'optional', arguments: { script: 'none' }, task: {} }
    const { body } = await openApp(taskServer, {}, bindings).session('tools/call', call)
    expect(body.result).toBeUndefined()
    expect(body.error.code).toBe(-32603)
  })

  it('is ignored by a server without tasks', async () => {
    verifies('earlier-tasks/undeclared-task-is-ignored')
    const app = openApp(taskServer, {}, { ...env, MCP_OBJECTS: undefined })
    const call = { name: 'plain', arguments: keepHandler(() => 'done'), task: {} }
    const { body } = await app.session('tools/call', call)
    expect(body.result.content[0].text).toBe('done')
  })

  it('is required by a tool that requires a task', async () => {
    verifies('earlier-tasks/client-calls-required-as-task')
    verifies('earlier-tasks/required-task-is-an-error')
    const session = await open()
    const call = { name: 'required', arguments: { script: 'none' } }
    expect((await session.request('tools/call', call)).error?.code).toBe(-32601)
  })
})

describe('tasks/result', () => {
  it('waits for the end and returns the result with the id of the task', async () => {
    verifies('earlier-tasks/result-of-a-final-task', 'earlier-tasks/result-waits-for-the-end')
    verifies('earlier-tasks/result-names-its-task')
    const session = await open()
    const taskId = await idOf(session, async (ctx) => {
      await ctx.sleep('nap', 100)
      return 'done'
    })
    const { result } = await session.request('tasks/result', { taskId })
    expect(result).toEqual({
      content: [{ type: 'text', text: 'done' }],
      _meta: { [RELATED]: { taskId } },
    })
    expect((await session.request('tasks/get', { taskId })).result?.status).toBe('completed')
    const modern = await new TaskClient().get(taskId)
    expect(modern).toMatchObject({ status: 'completed', result: { content: result?.content } })
  })

  it.for([
    ['resourceNotFound', -32002, -32602],
    ['urlElicitationRequired', -32042, -32600],
  ] as const)(
    'returns the error code %s of a task, and tasks/get of 2026-07-28 returns another one in its place',
    async ([name, code, modernCode]) => {
      verifies('base-protocol/error-codes-of-earlier-revisions')
      const session = await open()
      const taskId = await idOf(session, () => {
        throw new ProtocolError(ErrorCode[name], 'No')
      })
      const { error } = await session.request('tasks/result', { taskId })
      expect(error).toMatchObject({ code, message: 'No' })
      const modern = await new TaskClient().get(taskId)
      expect(modern).toMatchObject({ status: 'failed', error: { code: modernCode, message: 'No' } })
    },
  )

  it('ignores related-task in the request', async () => {
    verifies('earlier-tasks/id-in-params-decides')
    const session = await open()
    const [one, two] = [await idOf(session, () => 'one'), await idOf(session, () => 'two')]
    const _meta = { [RELATED]: { taskId: two } }
    const { result } = await session.request('tasks/result', { taskId: one, _meta })
    expect(result?.content[0].text).toBe('one')
  })

  it('sends the asks of the task on its stream, and gives the task the answers', async () => {
    const session = await open()
    const taskId = await idOf(session, async (ctx) => {
      const { action, content } = await ctx.elicit(ASK)
      return `${action} ${content?.ok}`
    })
    const stream = new SseReader(await session.send('tasks/result', { taskId }))
    const question = await stream.message()
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Sure?', _meta: { [RELATED]: { taskId } } },
    })
    const state = (await session.request('tasks/get', { taskId })).result
    expect(state).toMatchObject({ status: 'input_required' })
    expect(state).not.toHaveProperty('inputRequests')
    await session.answer(question, { action: 'accept', content: { ok: true } })
    const { result } = await stream.message()
    expect(result?.content[0].text).toBe('accept true')
  })

  it('of a task whose lifetime ends is refused then, also without a session', async () => {
    const session = await open()
    const { result } = await start(session, (ctx) => ctx.waitFor('event').then(String), {}, 'brief')
    const startedAt = performance.now()
    const without = await session.send(
      'tasks/result',
      { taskId: result?.task.taskId },
      { headers: { 'mcp-session-id': null } },
    )
    expect((await readMessage(without)).error?.code).toBe(-32602)
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })

  it('returns the JSON-RPC error of a task that failed', async () => {
    verifies('earlier-tasks/result-of-a-final-task')
    const session = await open()
    const taskId = await idOf(session, async (ctx) => {
      await ctx.step('fails', () => {
        throw new Error('secret')
      })
      return 'not reached'
    })
    // A tool that reports an error has failed, in this revision.
    const { result } = await session.request('tasks/result', { taskId })
    expect(result?.isError).toBe(true)
    const task = (await session.request('tasks/get', { taskId })).result
    expect(task).toMatchObject({ status: 'failed', statusMessage: result?.content[0].text })
  })
})

describe('tasks/cancel', () => {
  it('cancels a task before it answers, and refuses one that is over', async () => {
    verifies('earlier-tasks/final-status-stays', 'earlier-tasks/final-task-is-not-cancelled')
    verifies('earlier-tasks/cancelled-before-the-answer')
    const session = await open()
    const taskId = await idOf(session, async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    const { result } = await session.request('tasks/cancel', { taskId })
    expect(result).toMatchObject({ taskId, status: 'cancelled' })
    expect((await session.request('tasks/cancel', { taskId })).error?.code).toBe(-32602)
    expect((await session.request('tasks/result', { taskId })).error?.code).toBe(-32602)
  })

  it('cancels a task once of several requests at the same time, and refuses the others', async () => {
    const session = await open()
    const taskId = await idOf(session, async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    const cancel = () => session.request('tasks/cancel', { taskId })
    const answers = await Promise.all([cancel(), cancel(), cancel()])
    const outcomes = answers.map(({ result, error }) => result?.status ?? error?.code)
    expect(outcomes.toSorted()).toEqual([-32602, -32602, 'cancelled'])
  })
})

describe('tasks/list', () => {
  it('lists the tasks of the principal alone, page by page', async () => {
    verifies('earlier-tasks/id-is-unique', 'earlier-tasks/list-has-next-cursor')
    verifies('earlier-tasks/list-has-every-task', 'earlier-tasks/unknown-ids-are-errors')
    verifies('earlier-tasks/tasks-are-bound')
    const app = openAuthorizedTaskApp()
    const as = (subject: string) => {
      const fetch = (request: Request) => {
        request.headers.set('authorization', `Bearer ${subject}`)
        return app.fetch(request)
      }
      return HttpSession.open({ url: ENDPOINT, fetch })
    }
    const [one, two] = [await as('one'), await as('two')]
    const wait: Handler = async (ctx) => JSON.stringify(await ctx.waitFor('event'))
    const ids = new Set<string>()
    for (let n = 0; n < 22; n++) ids.add(await idOf(one, wait))
    const other = await idOf(two, wait)
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const { result } = await one.request('tasks/list', cursor === undefined ? {} : { cursor })
      for (const { taskId } of result?.tasks ?? []) listed.push(taskId)
      cursor = result?.nextCursor
    } while (cursor !== undefined)
    expect(listed.toSorted()).toEqual([...ids].toSorted())
    expect((await two.request('tasks/list')).result?.tasks).toMatchObject([{ taskId: other }])
    const bad = [7, {}, [], '', 'bad', btoa('{"source":"tools"}'), 'x'.repeat(60_000)]
    for (const cursor of bad) {
      expect((await two.request('tasks/list', { cursor })).error?.code).toBe(-32602)
    }
    const { nextCursor } = (await one.request('tasks/list')).result ?? {}
    const foreign = await two.request('tasks/list', { cursor: nextCursor })
    expect(JSON.stringify(foreign)).not.toContain([...ids][0])
    for (const { taskId } of foreign.result?.tasks ?? []) expect(taskId).toBe(other)
  })

  it('does not exist for anonymous callers', async () => {
    expect((await (await open()).request('tasks/list')).error?.code).toBe(-32601)
  })
})
