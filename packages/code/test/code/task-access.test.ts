/** The state of a task contains what its code has received, so it is read only by callers of each tool that the code has called. */
// features: sessions, tasks, code, search, changes
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { accept } from '../../../../test/support/accept.ts'
import { HttpSession } from '../../../../test/support/http-session.ts'
import { parseMessages } from '../../../../test/support/sse-parser.ts'
import { SseReader } from '../../../../test/support/sse-reader.ts'
import {
  type Answer,
  connectApp,
  ENDPOINT,
  modernRequest,
} from '../../../../test/support/test-app.ts'
import { hiddenFrom, openGates, scopedApp } from './support/scoped-server.ts'

const app = connectApp(scopedApp, env)
const FORMS = { elicitation: { form: {} } }
const TASKS = { ...FORMS, extensions: { 'io.modelcontextprotocol/tasks': {} } }

const NOT_FOUND = {
  code: -32602,
  message: 'Task not found: it does not exist, or it has expired',
}

async function send(token: string, method: string, params: object, capabilities: object = TASKS) {
  const headers = { authorization: `Bearer ${token}` }
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const answer: Answer = await app.modern(method, { ...params }, { headers, meta })
  const { body } = answer
  return typeof body === 'string' ? { ...answer, body: parseMessages(body).at(-1) } : answer
}

const openSession = (token: string) =>
  HttpSession.open({
    url: ENDPOINT,
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      return app.fetch(new Request(request, { headers }))
    },
  })

/** Starts code as a task, which is one at once in this revision. */
async function start(token: string, source: string): Promise<string> {
  const session = await openSession(token)
  const call = { name: 'execute', arguments: { code: source }, task: {} }
  const { result } = await session.request('tools/call', call)
  return result?.task.taskId
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
async function stateOf(token: string, taskId: string): Promise<any> {
  const { body } = await send(token, 'tasks/get', { taskId })
  return body.error ?? body.result
}

const reaches = (token: string, taskId: string, status: string) =>
  expect.poll(async () => (await stateOf(token, taskId)).status, { timeout: 20_000 }).toBe(status)

async function watched(token: string, taskId: string): Promise<string[]> {
  const params = { notifications: { taskIds: [taskId] } }
  const meta = { 'io.modelcontextprotocol/clientCapabilities': TASKS }
  const { body, headers } = modernRequest('subscriptions/listen', params, { meta })
  const answer = await app.post(body, { ...headers, authorization: `Bearer ${token}` })
  const stream = new SseReader(answer)
  const { params: accepted } = await stream.message()
  await stream.leave()
  return accepted?.notifications.taskIds
}

describe.for([
  ['needs a scope', 'scoped'],
  ['is visible to some callers', 'concealed'],
] as const)('a task whose code has called a tool that %s', ([, tool]) => {
  const owner = (person: string) => `${person} write secret`
  /** The name is computed, so that the call is not refused before the code runs. */
  const called = `tools[['${tool.slice(0, 3)}', '${tool.slice(3)}'].join('')]()`
  const source = `const got = await ${called}; return [got, await tools.ask()]`

  it('does not exist for another token of the person, in any method that reads or answers', async () => {
    const eve = `eve-${tool}`
    const taskId = await start(owner(eve), source)
    await reaches(owner(eve), taskId, 'input_required')
    const { inputRequests } = await stateOf(owner(eve), taskId)
    const [key = ''] = Object.keys(inputRequests)
    const params = { taskId, inputResponses: { [key]: accept({}) } }
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await send(`${eve} read`, method, params)).body.error).toEqual(NOT_FOUND)
    }
    expect(await watched(`${eve} read`, taskId)).toEqual([])
    expect(await watched(owner(eve), taskId)).toEqual([taskId])
    const [other, own] = [await openSession(`${eve} read`), await openSession(owner(eve))]
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await other.request(method, { taskId })).error).toEqual(NOT_FOUND)
    }
    expect((await other.request('tasks/list')).result?.tasks).toEqual([])
    expect((await own.request('tasks/list')).result?.tasks).toMatchObject([{ taskId }])
    await send(owner(eve), 'tasks/update', params)
    await reaches(owner(eve), taskId, 'completed')
    expect(await stateOf(`${eve} read`, taskId)).toEqual(NOT_FOUND)
    expect(JSON.stringify(await stateOf(owner(eve), taskId))).toContain(`the result of ${tool}`)
  })

  it('is refused to a reader that waits since before the call', async () => {
    const gate = `${tool} wait`
    const held = `await tools.hold({ gate: '${gate}' }); return ${called}`
    const taskId = await start(owner('wes'), held)
    await reaches(owner('wes'), taskId, 'working')
    expect(await stateOf('wes read', taskId)).toMatchObject({ status: 'working' })
    const session = await openSession('wes read')
    const waiting = [
      session.request('tasks/result', { taskId }),
      send('wes read', 'tools/call', { name: 'get_result', arguments: { handle: taskId } }, FORMS),
    ] as const
    await new Promise((resolve) => setTimeout(resolve, 200))
    openGates.add(gate)
    const [result, handle] = await Promise.all(waiting)
    expect(result.error).toEqual(NOT_FOUND)
    expect(JSON.stringify(handle.body)).not.toContain('the result of')
    expect(JSON.stringify(handle.body)).toContain(tool === 'scoped' ? 'write' : 'is deleted')
    await reaches(owner('wes'), taskId, 'completed')
  })

  it('is not continued by another token of the person, where the client keeps its state', async () => {
    const call = { name: 'execute', arguments: { code: source } }
    const first = await send(owner('rob'), 'tools/call', call, FORMS)
    const { inputRequests, requestState } = first.body.result
    const [key = ''] = Object.keys(inputRequests)
    const round = { ...call, requestState, inputResponses: { [key]: accept({}) } }
    const other = await send('rob read', 'tools/call', round, FORMS)
    expect(JSON.stringify(other.body)).not.toContain('the result of')
    const own = await send(owner('rob'), 'tools/call', round, FORMS)
    expect(JSON.stringify(own.body)).toContain(`the result of ${tool}`)
  })

  it('is the same where call_tool has called it in a task', async () => {
    const owned = await openSession(owner('cal'))
    const call = { name: 'call_tool', arguments: { name: tool }, task: {} }
    const { result } = await owned.request('tools/call', call)
    const { taskId } = result?.task ?? {}
    await reaches(owner('cal'), taskId, 'completed')
    expect(JSON.stringify(await stateOf(owner('cal'), taskId))).toContain(`the result of ${tool}`)
    expect(await stateOf('cal read', taskId)).toEqual(NOT_FOUND)
    const other = await openSession('cal read')
    expect((await other.request('tasks/list')).result?.tasks).toEqual([])
    const refused = await other.send('tools/call', call)
    expect([tool, refused.status]).toEqual([tool, tool === 'scoped' ? 403 : 200])
  })
})

describe('a task whose code has called a tool that its caller does not see any more', () => {
  it('does not exist for this caller either', async () => {
    const taskId = await start('ned secret', `return tools['concealed'.slice(0)]()`)
    await reaches('ned secret', taskId, 'completed')
    hiddenFrom.add('ned')
    expect(await stateOf('ned secret', taskId)).toEqual(NOT_FOUND)
  })
})
