/** The limit of the tasks of one principal: who is refused, who is served without a task, and who frees a place. */
// features: sessions
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { accept } from '../../support/accept.ts'
import { HttpSession } from '../../support/http-session.ts'
import { keepHandler } from '../../support/session-server.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import {
  authorizedControl,
  openAuthorizedTaskApp,
  openTaskApp,
  TASKS,
} from '../../support/task-server.ts'
import { ENDPOINT, modernRequest } from '../../support/test-app.ts'
import { TaskClient, until } from './task-client.ts'

/** `tasks({ perPrincipal })` of the test server. */
const LIMIT = 30

const TOO_MANY = {
  code: -32600,
  message:
    'You have too many tasks: at most 30 at the same time (tasks({ perPrincipal })). Cancel one, or wait until one has expired.',
}

const app = openAuthorizedTaskApp()
const as = (subject: string) => new TaskClient(app, subject)

const WAITS = async (ctx: Parameters<Parameters<TaskClient['start']>[0]>[0]) =>
  JSON.stringify(await ctx.waitFor('event'))

/** A client whose principal has as many tasks as the limit, and the ids of its tasks. */
async function full(subject: string): Promise<{ client: TaskClient; ids: readonly string[] }> {
  const client = as(subject)
  const ids: string[] = []
  for (let n = 0; n < LIMIT; n++) ids.push(await client.start(WAITS))
  return { client, ids }
}

describe('a call of a tool that needs a task, at the limit of tasks', () => {
  it('is refused with an error that names the limit, and others are served', async () => {
    const { client } = await full('hoarder')
    expect((await client.call('required', WAITS)).body.error).toEqual(TOO_MANY)
    // A call that may ask before it is a task.
    expect((await client.call('before', WAITS)).body.error).toEqual(TOO_MANY)
    await as('neighbour').start(WAITS)
  })

  it('is stopped when it has begun', async () => {
    const { client } = await full('starter')
    const aborted = Promise.withResolvers<void>()
    const script = keepHandler(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      await aborted.promise
      return 'done'
    })
    const slow = modernRequest('tools/call', { name: 'before', arguments: script }, { meta: TASKS })
    const headers = { ...slow.headers, authorization: 'Bearer starter' }
    expect((await readMessage(await client.app.post(slow.body, headers))).error).toEqual(TOO_MANY)
    await aborted.promise
  })

  it('is refused in 2025-11-25 with the same error, also where the tool may be called without a task', async () => {
    await full('recorder')
    const fetch = (request: Request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', 'Bearer recorder')
      return app.fetch(new Request(request, { headers }))
    }
    const session = await HttpSession.open({ url: ENDPOINT, fetch })
    for (const name of ['required', 'optional']) {
      const call = { name, arguments: keepHandler(() => 'not reached'), task: {} }
      expect((await session.request('tools/call', call)).error).toEqual(TOO_MANY)
    }
    const plain = { name: 'optional', arguments: keepHandler(() => 'plain') }
    const { result } = await session.request('tools/call', plain)
    expect(result?.content[0].text).toBe('plain')
  })

  it('of an anonymous caller is counted by the network of its client', async () => {
    const from = (address: string) =>
      new TaskClient(openTaskApp(), undefined, { 'cf-connecting-ip': address })
    for (let n = 0; n < LIMIT; n++) await from(`192.0.2.${n}`).start(WAITS)
    expect((await from('192.0.2.77').call('required', WAITS)).body.error).toEqual(TOO_MANY)
    await from('198.51.100.1').start(WAITS)
    await new TaskClient().start(WAITS)
  })
})

describe('a call of a tool with optional tasks, by a client with tasks at their limit', () => {
  it('is served without a task', async () => {
    const { client } = await full('reader')
    const { body } = await client.call('optional', ({ task }) => `task ${task?.id}`)
    expect(body.result).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'task undefined' }],
    })
  })

  it('goes on where it has begun, longer than a call waits for its task', async () => {
    const { client } = await full('worker')
    let runs = 0
    const { body } = await client.call('inline', async ({ step }) => {
      runs++
      await step('long', () => new Promise((resolve) => setTimeout(resolve, 2500)))
      return 'worked'
    })
    expect(body.result.content[0].text).toBe('worked')
    expect(runs).toBe(1)
  })

  it('is stopped after the timeout of a call without a task', async () => {
    const headers = { 'cf-connecting-ip': '198.18.0.1' }
    const client = new TaskClient(openTaskApp({}, { handlerTimeoutMs: 300 }), undefined, headers)
    for (let n = 0; n < LIMIT; n++) await client.start(WAITS)
    let isAborted = false
    const { body } = await client.call('inline', ({ signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise<string>(() => undefined)
    })
    expect(body.result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'Tool inline exceeded its timeout and was stopped. Check what it has done before you repeat it.',
        },
      ],
    })
    expect(isAborted).toBe(true)
  })

  it.for(['optional', 'inline'] as const)('asks in its result: %s', async (tool) => {
    const { client } = await full(`asker-${tool}`)
    let steps = 0
    const handler = keepHandler(async (ctx) => {
      await ctx.step('once', () => ++steps)
      const schema = z.object({ ok: z.boolean() })
      return (await ctx.elicit({ key: 'sure', message: 'Sure?', schema })).action
    })
    const params = { name: tool, arguments: handler }
    const { result: asked } = (await client.send('tools/call', params)).body
    expect(asked.resultType).toBe('input_required')
    const { requestState } = asked
    const inputResponses = { sure: accept({ ok: true }) }
    const { body } = await client.send('tools/call', { ...params, requestState, inputResponses })
    expect(body.result.content[0].text).toBe('accept')
    expect(steps).toBe(1)
  })

  it.for(['optional', 'inline'] as const)(
    'waits on the stream of its call, and repeats no step: %s',
    async (tool) => {
      const { client } = await full(`waiter-${tool}`)
      let steps = 0
      const { body } = await client.call(tool, async (ctx) => {
        await ctx.step('once', () => ++steps)
        await ctx.sleep('nap', 50)
        return 'waited'
      })
      expect(body.result.content[0].text).toBe('waited')
      expect(steps).toBe(1)
    },
  )

  it.for(['optional', 'inline'] as const)(
    'receives what is delivered to a URL that a step sent before the limit was known: %s',
    async (tool) => {
      const { client } = await full(`receiver-${tool}`)
      const sent: string[] = []
      const called = client.call(tool, async (ctx) => {
        const url = await ctx.webhook('paid')
        await ctx.step('send', () => sent.push(url))
        return JSON.stringify(await ctx.waitFor('paid'))
      })
      const deliver = async () => {
        const headers = { 'content-type': 'application/json' }
        const request = new Request(sent[0] ?? '', { method: 'POST', headers, body: '7' })
        return (await client.app.fetch(request)).status
      }
      await until(() => sent.length > 0)
      await vi.waitFor(async () => expect(await deliver()).toBe(202), { timeout: 5000 })
      expect((await called).body.result.content[0].text).toBe('7')
      expect(sent).toHaveLength(1)
    },
  )

  it('is cancelled when its client disconnects', async () => {
    const { client } = await full('deserter')
    const aborted = Promise.withResolvers<string>()
    const script = keepHandler(({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason.message))
      return new Promise<string>(() => undefined)
    })
    const slow = modernRequest('tools/call', { name: 'inline', arguments: script }, { meta: TASKS })
    const headers = { ...slow.headers, authorization: 'Bearer deserter' }
    await new SseReader(await client.app.post(slow.body, headers)).leave()
    expect(await aborted.promise).toBe('The client cancelled the request')
  })

  it('becomes a task as soon as one was cancelled, by its client or by the author', async () => {
    const { client, ids } = await full('canceller')
    await client.send('tasks/cancel', { taskId: ids[3] })
    await client.start(WAITS, 'optional')
    expect((await client.call('required', WAITS)).body.error).toEqual(TOO_MANY)
    await authorizedControl.cancel(ids[4] ?? '')
    const last = await client.start(WAITS, 'optional')
    expect((await client.call('required', WAITS)).body.error).toEqual(TOO_MANY)
    // A second cancellation frees no second place.
    await client.send('tasks/cancel', { taskId: ids[4] })
    expect((await client.call('required', WAITS)).body.error).toEqual(TOO_MANY)
    expect((await client.get(last)).status).toBe('working')
    // Those that were cancelled are listed until they expire.
    const { tasks, nextCursor } = await authorizedControl.list('canceller')
    const rest = await authorizedControl.list('canceller', nextCursor)
    expect([...tasks, ...rest.tasks].map(({ taskId }) => taskId)).toContain(ids[4])
  })

  it('of an anonymous network becomes a task as soon as one was cancelled from another network', async () => {
    const from = (address: string) =>
      new TaskClient(openTaskApp(), undefined, { 'cf-connecting-ip': address })
    const taskId = await from('203.0.113.1').start(WAITS)
    for (let n = 1; n < LIMIT; n++) await from(`203.0.113.${n}`).start(WAITS)
    expect((await from('203.0.113.77').call('required', WAITS)).body.error).toEqual(TOO_MANY)
    await from('198.51.100.2').send('tasks/cancel', { taskId })
    await from('203.0.113.77').start(WAITS)
  })
})

describe('a task that is cancelled twice at the same time, in 2025-11-25', () => {
  const cancel = (session: HttpSession, taskId: string) =>
    session.request('tasks/cancel', { taskId })
  const ENDED = { code: -32602, message: 'The task is over already: its status is cancelled' }
  const open = () => HttpSession.open({ url: ENDPOINT, fetch: openTaskApp().fetch })

  it.for([
    ['waits', WAITS],
    ['runs', () => new Promise<string>(() => undefined)],
  ] as const)(
    'answers one request with its state and the other with an error: one that %s',
    async ([, handler]) => {
      const [one, other] = [await open(), await open()]
      for (const second of [one, other]) {
        const call = { name: 'required', arguments: keepHandler(handler), task: {} }
        const created = await one.request('tools/call', call)
        const taskId = created.result?.task.taskId
        await vi.waitFor(async () => {
          expect((await one.request('tasks/get', { taskId })).result?.status).toBe('working')
        })
        const answers = await Promise.all([cancel(one, taskId), cancel(second, taskId)])
        const states = answers.flatMap(({ result }) => result?.status ?? [])
        expect(states).toEqual(['cancelled'])
        expect(answers.flatMap(({ error }) => error ?? [])).toEqual([ENDED])
        expect((await cancel(other, taskId)).error).toEqual(ENDED)
      }
    },
  )
})
