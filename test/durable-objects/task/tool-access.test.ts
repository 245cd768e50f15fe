/** A task is for callers that may call its tool: each method that names a task or lists it checks that. */
// features: sessions, tasks, changes
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { accept } from '../../support/accept.ts'
import { FullServer } from '../../support/full-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'
import {
  authorizedControl,
  hiddenFrom,
  openAuthorizedFactory,
  openAuthorizedTaskApp,
  TASKS,
} from '../../support/task-server.ts'
import { ENDPOINT, modernRequest } from '../../support/test-app.ts'
import { TaskClient, type Tool } from './task-client.ts'

const app = openAuthorizedTaskApp()
const as = (token: string) => new TaskClient(app, token)

const NOT_FOUND = {
  code: -32602,
  message: 'Task not found: it does not exist, or it has expired',
}

const confirm: Handler = async (ctx) => {
  const schema = z.object({ ok: z.boolean() })
  return (await ctx.elicit({ key: 'sure', message: 'Sure?', schema })).action
}

const withToken = (token: string) => ({
  url: ENDPOINT,
  fetch: (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    return app.fetch(new Request(request, { headers }))
  },
})

const openSession = (token: string) => HttpSession.open(withToken(token))

async function listed(session: HttpSession): Promise<string[]> {
  const { result } = await session.request('tasks/list')
  return result?.tasks.map(({ taskId }: { taskId: string }) => taskId)
}

async function listening(taskIds: readonly string[], token: string): Promise<SseReader> {
  const params = { notifications: { taskIds } }
  const { body, headers } = modernRequest('subscriptions/listen', params, { meta: TASKS })
  return new SseReader(await app.post(body, { ...headers, authorization: `Bearer ${token}` }))
}

describe.for([
  ['needs a scope', 'scoped'],
  ['is visible to some callers', 'concealed'],
] as const)(
  'a task of a tool that %s, for a token of the same person that may not call the tool',
  ([, tool]) => {
    const owner = (person: string) => as(`${person} write secret`)

    async function asking(person: string): Promise<string> {
      const taskId = await owner(person).start(confirm, tool)
      await owner(person).reaches(taskId, 'input_required')
      return taskId
    }

    it.for(['tasks/get', 'tasks/update', 'tasks/cancel'])(
      'does not exist in %s',
      async (method) => {
        const taskId = await asking('ada')
        const params = { taskId, inputResponses: { 'sure.1': accept({ ok: true }) } }
        const { body } = await as('ada read').send(method, params)
        expect(body.error).toEqual(NOT_FOUND)
        // Another program of the person that may call the tool may answer.
        expect((await owner('ada').get(taskId)).status).toBe('input_required')
        await as('ada secret write read').send('tasks/update', params)
        expect((await owner('ada').reaches(taskId, 'completed')).result.content[0].text).toBe(
          'accept',
        )
      },
    )

    it('is left out of subscriptions/listen', async () => {
      const taskId = await asking('ada')
      const stream = await listening([taskId], 'ada read')
      expect((await stream.message()).params?.notifications).toEqual({ taskIds: [] })
      await stream.leave()
      const own = await listening([taskId], 'ada write secret')
      expect((await own.message()).params?.notifications).toEqual({ taskIds: [taskId] })
      await own.leave()
    })

    it.for(['tasks/get', 'tasks/result', 'tasks/cancel'])(
      'does not exist in %s of 2025-11-25, also in the session that has created it',
      async (method) => {
        const session = await openSession('ada write secret')
        const call = { name: tool, arguments: keepHandler(confirm), task: {} }
        const { result } = await session.request('tools/call', call)
        const taskId = result?.task.taskId
        await owner('ada').reaches(taskId, 'input_required')
        for (const each of [
          await openSession('ada read'),
          new HttpSession(withToken('ada read'), session.id, '2025-11-25'),
        ]) {
          expect((await each.request(method, { taskId })).error).toEqual(NOT_FOUND)
        }
        expect((await session.request('tasks/get', { taskId })).result?.status).toBe(
          'input_required',
        )
      },
    )

    it('is left out of tasks/list, which has no cursor where nothing follows', async () => {
      const person = `lister-of-${tool}`
      const plain = await owner(person).start(confirm, 'required')
      const hidden: string[] = []
      for (let n = 0; n < 22; n++) hidden.push(await owner(person).start(confirm, tool))
      const { result } = await (await openSession(`${person} read`)).request('tasks/list')
      expect(result?.tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual([plain])
      expect(result).not.toHaveProperty('nextCursor')
      const session = await openSession(`${person} write secret`)
      expect(hidden).toContain((await listed(session))[0])
    })
  },
)

describe('an open listener of a task', () => {
  it('receives no state after its caller has lost the tool of the task', async () => {
    const loser = as('loser secret')
    const waits: Handler = async (ctx) => String(await ctx.waitFor('event'))
    const lost = await loser.start(waits, 'concealed')
    const kept = await loser.start(waits)
    const stream = await listening([lost, kept], 'loser secret')
    hiddenFrom.add('loser')
    await authorizedControl.deliver(lost, 'event', 1)
    await expect.poll(async () => (await authorizedControl.get(lost))?.status).toBe('failed')
    await authorizedControl.deliver(kept, 'event', 2)
    const ended: unknown[] = []
    while (!ended.includes(kept)) {
      const { params } = await stream.message()
      if (params?.status === 'completed' || params?.status === 'failed') ended.push(params.taskId)
    }
    expect(ended).toEqual([kept])
    await stream.leave()
  })
})

describe('a task of a caller with a definition of its own', () => {
  const inputSchema = z.object({ script: z.string() })
  const run = () => 'not reached'

  /** A Worker whose definition has one tool. */
  function served(tool: Tool, scopes: readonly string[] = []): TaskClient {
    const serverFor = () => {
      const server = new FullServer({ name: 'tasks', version: '1.0.0' })
      server.registerTool(tool, { inputSchema, task: 'required', scopes }, run)
      return server
    }
    return new TaskClient(openAuthorizedFactory(serverFor), 'ada read')
  }

  it('does not exist for a caller whose definition lacks the tool', async () => {
    const taskId = await as('ada read').start(confirm)
    await served('required').reaches(taskId, 'input_required')
    expect(await served('before').get(taskId)).toEqual(NOT_FOUND)
  })

  it('needs the scopes of its tool when it was started, and those of the present one', async () => {
    const taskId = await as('ada write').start(confirm, 'scoped')
    expect(await served('scoped').get(taskId)).toEqual(NOT_FOUND)
    const free = await as('ada read').start(confirm)
    expect(await served('required', ['admin']).get(free)).toEqual(NOT_FOUND)
  })
})
