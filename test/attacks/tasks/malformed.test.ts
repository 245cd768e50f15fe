/** Malformed requests for tasks in both revisions. Each has one answer, and none changes the task. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept } from '../../support/accept.ts'
import type { HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import type { WireMessage } from '../../support/sse-parser.ts'
import { requestOf } from '../modern.ts'
import { TaskCaller } from './task-caller.ts'

let server: FixtureServer
let caller: TaskCaller
let session: HttpSession
/** Waits for an event. */
let taskId: string

beforeAll(async () => {
  server = await startFixtureServer()
  caller = new TaskCaller(server.url)
  session = await caller.openSession()
  taskId = await caller.create('wait_event', { name: 'malformed' })
})
afterAll(async () => {
  expect(await caller.statusOf(taskId)).toBe('working')
  expect(server.log()).not.toContain('internal-error')
  await server.stop()
})

/** Ids that name no task, made of one that does. */
const FORGED: readonly (readonly [string, (id: string) => unknown])[] = [
  ['a number', () => 7],
  ['null', () => null],
  ['missing', () => undefined],
  ['a boolean', () => true],
  ['an array', (id) => [id]],
  ['an object', (id) => ({ id })],
  ['empty', () => ''],
  ['a word', () => 'task'],
  ['a name of JavaScript', () => '__proto__'],
  ['changed in its last character', (id) => id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A')],
  ['changed in its key', (id) => `1AAAAAAAA${id.slice(id.indexOf('.'))}`],
  ['of a newer format', (id) => `2${id.slice(1)}`],
  ['a half', (id) => id.slice(0, id.length / 2)],
  ['too long by one character', (id) => `${id}A`],
  ['behind a space', (id) => ` ${id}`],
  ['twice itself', (id) => id + id],
  ['of 60,000 characters', () => 'x'.repeat(60_000)],
  ['of other letters', () => 'é'.repeat(40)],
  ['with a NUL', (id) => `${id}\0`],
]

describe.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s of 2026-07-28', (method) => {
  it.each(FORGED)('refuses an id with -32602 that is %s', async (_, of) => {
    const forged = of(taskId)
    const params = { taskId: forged as string, inputResponses: {} }
    const headers: Record<string, null> = typeof forged === 'string' ? {} : { 'mcp-name': null }
    const { error } = await caller.send(method, params, headers)
    expect(error?.code).toBe(-32602)
  })

  it.each([
    ['no capabilities', {}],
    ['no extensions', { extensions: null }],
    ['extensions that are an array', { extensions: [] }],
    ['an extension that is null', { extensions: { 'io.modelcontextprotocol/tasks': null } }],
    ['an extension that is true', { extensions: { 'io.modelcontextprotocol/tasks': true } }],
    ['an extension that is an array', { extensions: { 'io.modelcontextprotocol/tasks': [] } }],
    ['another extension', { extensions: { 'io.modelcontextprotocol/Tasks': {} } }],
    ['the capability of 2025-11-25', { tasks: { list: {}, cancel: {} } }],
  ])('refuses a client with -32021 that declares %s', async (_, capabilities) => {
    const params = { taskId, inputResponses: {} }
    const request = requestOf(server.url, method, params, taskId, undefined, capabilities)
    const response = await fetch(request)
    const { error } = (await response.json()) as { error: object }
    expect(response.status).toBe(400)
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  it.each([
    ['the version of another revision', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': null }],
    ['an unknown version', { 'mcp-protocol-version': '2099-01-01' }],
    ['another method', { 'mcp-method': 'ping' }],
    ['no method', { 'mcp-method': null }],
    ['no name', { 'mcp-name': null }],
    ['the name of another task', { 'mcp-name': 'other' }],
  ])('refuses headers with -32020 that have %s', async (_, headers) => {
    const { status, error } = await caller.send(method, { taskId, inputResponses: {} }, headers)
    expect([status, error?.code]).toEqual([400, -32020])
  })
})

describe('tasks/update', () => {
  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 7],
    ['a text', 'yes'],
    ['an array', []],
  ])('refuses responses with -32602 that are %s', async (_, inputResponses) => {
    const { error } = await caller.send('tasks/update', { taskId, inputResponses })
    expect(error?.code).toBe(-32602)
  })

  it('ignores keys that the task has not asked with, however many', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => [`key-${index}`, accept({ ok: true })])
    const odd = JSON.parse('{"__proto__":{"action":"accept"},"constructor":null,"":7}')
    for (const inputResponses of [{}, odd, Object.fromEntries(many)]) {
      const { result } = await caller.send('tasks/update', { taskId, inputResponses })
      expect(result).toMatchObject({ resultType: 'complete' })
    }
  })

  it.each([
    ['null', null],
    ['a number', 7],
    ['a text', 'accept'],
    ['an array', [accept({ confirm: true })]],
    ['an unknown action', { action: 'maybe' }],
    ['content of another schema', accept({ confirm: 'yes' })],
    ['no content', { action: 'accept' }],
  ])('asks again with another key when an answer is %s', async (what, answer) => {
    const asking = await caller.create('confirm_delete', { filename: what })
    await expect.poll(() => caller.statusOf(asking)).toBe('input_required')
    const [key = ''] = Object.keys((await caller.get(asking)).inputRequests)
    const update = (inputResponses: object) =>
      caller.send('tasks/update', { taskId: asking, inputResponses })
    expect((await update({ [key]: answer })).error).toBeUndefined()
    const keyNow = async () => Object.keys((await caller.get(asking)).inputRequests ?? {})[0]
    await expect.poll(keyNow).not.toBe(undefined)
    const second = String(await keyNow())
    expect(second).not.toBe(key)
    // The key that was used answers nothing any more.
    await update({ [key]: accept({ confirm: true }) })
    expect(await keyNow()).toBe(second)
    await update({ [second]: accept({ confirm: true }) })
    await expect.poll(() => caller.textOf(asking)).toBe(`${what} is deleted.`)
  })

  it('waits for the answers that are missing, and takes each once', async () => {
    const asking = await caller.create('multi_input')
    await expect.poll(() => caller.statusOf(asking)).toBe('input_required')
    const [first = '', second = ''] = Object.keys((await caller.get(asking)).inputRequests)
    const update = (inputResponses: object) =>
      caller.send('tasks/update', { taskId: asking, inputResponses })
    await update({ [first]: accept({ confirm: true }) })
    await update({ [first]: accept({ confirm: false }) })
    expect(Object.keys((await caller.get(asking)).inputRequests)).toEqual([second])
    await update({ [first]: { action: 'decline' }, [second]: accept({ confirm: false }) })
    await expect
      .poll(() => caller.textOf(asking))
      .toBe('accept {"confirm":true}\naccept {"confirm":false}')
  })

  it('is acknowledged after the end of the task, and changes nothing', async () => {
    const asking = await caller.create('confirm_delete', { filename: 'over' })
    await expect.poll(() => caller.statusOf(asking)).toBe('input_required')
    const [key = ''] = Object.keys((await caller.get(asking)).inputRequests)
    await caller.send('tasks/cancel', { taskId: asking })
    const inputResponses = { [key]: accept({ confirm: true }) }
    const { error } = await caller.send('tasks/update', { taskId: asking, inputResponses })
    expect(error).toBeUndefined()
    expect(await caller.statusOf(asking)).toBe('cancelled')
  })
})

describe('a call of 2026-07-28', () => {
  it.each(['tasks/list', 'tasks/result'])('has no method %s', async (method) => {
    const { status, error } = await caller.send(method, { taskId })
    expect([status, error?.code]).toEqual([404, -32601])
  })

  it.each([{}, { ttl: 5 }, null, 'yes', []])(
    'takes no notice of params.task, which 2025-11-25 has: %j',
    async (task) => {
      const call = { name: 'sleep_step', arguments: { name: 'unasked', ms: 0 }, task }
      const { result } = await caller.send('tools/call', call)
      expect(result).toMatchObject({ resultType: 'task', ttlMs: 86_400_000 })
      const plain = { name: 'echo', arguments: { text: 'no task' }, task }
      expect((await caller.send('tools/call', plain)).result?.resultType).toBe('complete')
    },
  )
})

describe.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('%s of 2025-11-25', (method) => {
  it.each(FORGED)('refuses an id with -32602 that is %s', async (_, of) => {
    const { error } = await session.request(method, { taskId: of(taskId) as string })
    expect(error.code).toBe(-32602)
  })

  it.each([
    ['missing', undefined],
    ['an array', ['x']],
    ['a text', 'x'],
    ['null', null],
  ])('refuses params with an error that are %s', async (_, params) => {
    const response = await session.post({ jsonrpc: '2.0', id: 1, method, params })
    const { error } = (await response.json()) as { error: { code: number } }
    expect([-32600, -32602]).toContain(error.code)
  })

  it('does not exist in 2025-06-18', async () => {
    const older = await caller.openSession('2025-06-18')
    expect((await older.request(method, { taskId })).error.code).toBe(-32601)
  })
})

describe('params.task of 2025-11-25', () => {
  const create = async (text: string) => {
    const params = `{"name":"wait_event","arguments":{"name":"ttl"},"task":${text}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    const headers = session.headers('POST')
    const response = await fetch(server.url, { method: 'POST', headers, body })
    const { result, error } = (await response.json()) as WireMessage
    return error?.code ?? result.task.ttl
  }

  it.each([
    ['null', -32602],
    ['7', -32602],
    ['"yes"', -32602],
    ['[]', -32602],
    ['{"ttl":0}', -32602],
    ['{"ttl":-1}', -32602],
    ['{"ttl":-1e999}', -32602],
    ['{"ttl":"60000"}', -32602],
    ['{"ttl":true}', -32602],
    ['{"ttl":{}}', -32602],
    ['{"ttl":[1000]}', -32602],
    ['{"ttl":NaN}', -32700],
    ['{"ttl":1000,"ttl":2000}', -32600],
    // The longest lifetime is a limit of the server.
    ['{"ttl":1e999}', 604_800_000],
    ['{"ttl":9007199254740993}', 604_800_000],
    ['{"ttl":60000.9}', 60_000],
    ['{}', 86_400_000],
    ['{"ttl":null}', 86_400_000],
    ['{"pollInterval":-4}', 86_400_000],
  ] as const)('%s is answered with the error, or the lifetime, %d', async (task, expected) => {
    expect(await create(task)).toBe(expected)
  })
})

describe('a task of the other revision', () => {
  it('has the same state and result in both', async () => {
    expect((await session.request('tasks/get', { taskId })).result).toMatchObject({
      taskId,
      status: 'working',
    })
    const call = { name: 'sleep_step', arguments: { name: 'era', ms: 0 }, task: {} }
    const created = (await session.request('tools/call', call)).result.task
    await expect.poll(() => caller.textOf(created.taskId)).toBe('done')
    const { result } = await session.request('tasks/result', { taskId: created.taskId })
    expect(result.content[0].text).toBe('done')
  })
})
