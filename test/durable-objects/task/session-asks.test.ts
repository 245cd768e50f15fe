/** The asks and states of a task of 2025-11-25 on the streams of its session. */
// features: sessions
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { SessionObject } from '../../../durable-objects/session/session-object.ts'
import { HEARTBEAT_MS } from '../../../durable-objects/session/session-parts.ts'
import { withDeadline } from '../../../src/platform/deadline.ts'
import { principalContext } from '../../../src/protocol/principal.ts'
import { advanceClock } from '../../support/clock.ts'
import { HttpSession } from '../../support/http-session.ts'
import { objectsOfKind, testSealer } from '../../support/objects.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { control, objectOf, openTaskApp } from '../../support/task-server.ts'
import { ENDPOINT } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'
import { kill } from './task-object.ts'

const RELATED = 'io.modelcontextprotocol/related-task'

const ASK = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

/** For how long a reader may be about to connect again. */
const RECONNECT_MS = 2000

const YES = { action: 'accept', content: { ok: true } }

const confirm: Handler = async (ctx) => {
  const { action, content } = await ctx.elicit(ASK)
  return `${action} ${content?.ok}`
}

const { fetch } = openTaskApp()

const open = () => HttpSession.open({ url: ENDPOINT, fetch })

async function start(session: HttpSession, handler: Handler = confirm): Promise<string> {
  const call = { name: 'required', arguments: keepHandler(handler), task: {} }
  const { result } = await session.request('tools/call', call)
  return result?.task.taskId
}

async function until(session: HttpSession, taskId: string, status: string): Promise<void> {
  const present = async () => (await session.request('tasks/get', { taskId })).result?.status
  await expect.poll(present).toBe(status)
}

const result = (session: HttpSession, taskId: string) =>
  session.request('tasks/result', { taskId }).then((message) => message.result?.content[0].text)

/** The next request of the server; other messages are skipped. */
async function question(stream: SseReader): Promise<WireMessage> {
  for (;;) {
    const message = await stream.message()
    if (message === undefined || (message.id !== undefined && message.method)) return message
  }
}

/** Everything on a stream until a status of the task. */
async function untilStatus(stream: SseReader, status: string): Promise<WireMessage[]> {
  const messages: WireMessage[] = []
  for (;;) {
    const message = await stream.message()
    if (message === undefined) throw new Error(`The stream ended before ${status}`)
    messages.push(message)
    if (message.params?.status === status) return messages
  }
}

/** The next message after a position. A connection that the client has left may take the stream over once. */
async function resumed(session: HttpSession, position: string): Promise<WireMessage> {
  const message = await (await session.listen(position)).message()
  return message ?? (await session.listen(position)).message()
}

async function killSession({ id }: HttpSession): Promise<void> {
  const sealer = testSealer()
  const context = principalContext('tasks', undefined)
  const opened = await sealer.open('session-id/1', id, context)
  const { name } = JSON.parse(new TextDecoder().decode(opened))
  const stub = objectsOfKind<SessionObject>('session', 'tasks').named(name)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

describe('an ask of a task, in a session', () => {
  it('is sent once on the standalone stream, with the id of the task, and is answered from there', async () => {
    verifies('earlier-tasks/moves-along-valid-paths', 'earlier-tasks/ask-names-its-task')
    const session = await open()
    const stream = await session.listen()
    const taskId = await start(session)
    const asked = await question(stream)
    expect(asked).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Sure?', _meta: { [RELATED]: { taskId } } },
    })
    await until(session, taskId, 'input_required')
    expect(await session.answer(asked, YES)).toBe(202)
    const rest = await untilStatus(stream, 'completed')
    expect(rest.filter(({ method }) => method !== 'notifications/tasks/status')).toEqual([])
    expect(await result(session, taskId)).toBe('accept true')
  })

  it('waits for a standalone stream, and survives a kill of both objects before', async () => {
    const session = await open()
    const taskId = await start(session)
    await until(session, taskId, 'input_required')
    await killSession(session)
    await kill(taskId)
    // The alarm notifies the session, which the kill has prevented.
    await runDurableObjectAlarm(await objectOf(taskId))
    const stream = await session.listen()
    const asked = await question(stream)
    expect(await session.answer(asked, YES)).toBe(202)
    expect(await result(session, taskId)).toBe('accept true')
  })

  it('is replayed to a client that resumes the stream after a kill, and keeps its id', async () => {
    const session = await open()
    const first = await session.listen()
    await start(session, () => 'done')
    await untilStatus(first, 'completed')
    const position = first.lastId
    const taskId = await start(session)
    const asked = await question(first)
    await first.leave()
    await killSession(session)
    expect((await question(await session.listen(position))).id).toBe(asked.id)
    expect(await session.answer(asked, YES)).toBe(202)
    expect(await result(session, taskId)).toBe('accept true')
  })

  it('is sent on the stream of tasks/result where one is open, and not on the standalone stream', async () => {
    verifies('earlier-tasks/ask-names-its-task')
    const session = await open()
    const standalone = await session.listen()
    const go = Promise.withResolvers<void>()
    const taskId = await start(session, async (ctx) => {
      await ctx.step('wait', () => go.promise)
      return confirm(ctx)
    })
    const stream = new SseReader(await session.send('tasks/result', { taskId }))
    go.resolve()
    const asked = await question(stream)
    expect(asked.params._meta).toEqual({ [RELATED]: { taskId } })
    await session.answer(asked, YES)
    expect((await stream.message()).result?.content[0].text).toBe('accept true')
    const others = await untilStatus(standalone, 'completed')
    expect(others.filter(({ method }) => method === 'elicitation/create')).toEqual([])
  })

  it('is not sent again by tasks/result while the standalone stream that carried it is open', async () => {
    const session = await open()
    const standalone = await session.listen()
    const taskId = await start(session)
    const asked = await question(standalone)
    const stream = new SseReader(await session.send('tasks/result', { taskId }))
    await session.answer(asked, YES)
    expect((await stream.message()).result?.content[0].text).toBe('accept true')
  })

  it('moves to the next stream with a new id when the client has left the one that carried it', async () => {
    const session = await open()
    const first = await session.listen()
    const taskId = await start(session)
    const asked = await question(first)
    await first.leave()
    const second = await session.listen()
    const again = await question(second)
    expect(again.params).toEqual(asked.params)
    expect(again.id).not.toBe(asked.id)
    await session.answer(again, YES)
    expect(await result(session, taskId)).toBe('accept true')
  })

  describe.each(['a GET stream', 'tasks/result'])(
    'whose stream closes after %s was opened',
    (next) => {
      it('moves there at once, with a new id', async () => {
        const session = await open()
        const first = await session.listen()
        const taskId = await start(session)
        const asked = await question(first)
        const second =
          next === 'tasks/result'
            ? new SseReader(await session.send('tasks/result', { taskId }))
            : await session.listen()
        advanceClock(RECONNECT_MS)
        await first.leave()
        const again = await withDeadline(HEARTBEAT_MS / 2, question(second), () => {
          throw new Error('The question waits for the next heartbeat of the session')
        })
        expect(again.params).toEqual(asked.params)
        expect(again.id).not.toBe(asked.id)
        // The first id is withdrawn: a response to it has no effect.
        await session.answer(asked, { action: 'decline' })
        await session.answer(again, YES)
        expect(await result(session, taskId)).toBe('accept true')
      })
    },
  )

  it('whose tasks/result stream closes after a GET stream was opened moves there', async () => {
    const session = await open()
    const taskId = await start(session)
    await until(session, taskId, 'input_required')
    const first = new SseReader(await session.send('tasks/result', { taskId }))
    const asked = await question(first)
    const standalone = await session.listen()
    advanceClock(RECONNECT_MS)
    await first.leave()
    const again = await question(standalone)
    expect(again.id).not.toBe(asked.id)
    await session.answer(again, YES)
    expect(await result(session, taskId)).toBe('accept true')
  })

  it('moves to the standalone stream when tasks/result was cancelled', async () => {
    const session = await open()
    const taskId = await start(session)
    await until(session, taskId, 'input_required')
    const response = await session.send('tasks/result', { taskId }, { id: 'result' })
    const stream = new SseReader(response)
    expect((await question(stream)).method).toBe('elicitation/create')
    await session.notify('notifications/cancelled', { requestId: 'result' })
    const standalone = await session.listen()
    const again = await question(standalone)
    await session.answer(again, YES)
    expect(await result(session, taskId)).toBe('accept true')
  })

  it('that the client refuses with an error is a tool error for the handler, which goes on', async () => {
    const session = await open()
    const stream = await session.listen()
    const taskId = await start(session, async (ctx) => {
      try {
        await ctx.elicit(ASK)
        return 'not reached'
      } catch (error) {
        return String(error)
      }
    })
    const asked = await question(stream)
    await session.answerWithError(asked, { code: -32603, message: 'No window' })
    expect(await result(session, taskId)).toContain('did not answer elicitation/create: No window')
  })

  it('is withdrawn when the lifetime of its task ends', async () => {
    const session = await open()
    const stream = await session.listen()
    const call = { name: 'required', arguments: keepHandler(confirm), task: { ttl: 2000 } }
    await session.request('tools/call', call)
    const asked = await question(stream)
    for (;;) {
      const { method, params } = await stream.message()
      if (method !== 'notifications/cancelled') continue
      expect(params.requestId).toBe(asked.id)
      break
    }
  })

  it('stays open while the handler runs for another reason, and is answered then', async () => {
    const session = await open()
    const go = Promise.withResolvers<void>()
    const taskId = await start(session, async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 1000), answered])
      await ctx.step('slow', () => go.promise)
      return Promise.race([answered, ctx.waitFor('never').then(String)])
    })
    const stream = await session.listen()
    const asked = await question(stream)
    const messages = await untilStatus(stream, 'working')
    expect(messages.map(({ method }) => method)).not.toContain('notifications/cancelled')
    expect(await session.answer(asked, YES)).toBe(202)
    go.resolve()
    expect(await result(session, taskId)).toBe('accept')
  })

  it('is withdrawn with the id of its task when the task is cancelled', async () => {
    verifies('earlier-tasks/ask-names-its-task')
    const session = await open()
    const stream = await session.listen()
    const taskId = await start(session)
    const asked = await question(stream)
    await control.cancel(taskId)
    const messages = await untilStatus(stream, 'cancelled')
    expect(messages).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({
          requestId: asked.id,
          _meta: { [RELATED]: { taskId } },
        }),
      }),
    )
    expect(await session.answer(asked, YES)).toBe(202)
  })

  it('of another session of the same caller is answered where its result is waited for', async () => {
    const [creator, other] = [await open(), await open()]
    const taskId = await start(creator)
    const stream = new SseReader(await other.send('tasks/result', { taskId }))
    const asked = await question(stream)
    await other.answer(asked, YES)
    expect((await stream.message()).result?.content[0].text).toBe('accept true')
  })

  it('is asked one after the other, each once', async () => {
    const session = await open()
    const stream = await session.listen()
    const taskId = await start(session, async (ctx) => {
      const said: string[] = []
      for (const key of ['one', 'two', 'three']) {
        said.push((await ctx.elicit({ ...ASK, key, message: key })).action)
      }
      return said.join()
    })
    const ids = new Set<unknown>()
    for (const message of ['one', 'two', 'three']) {
      const asked = await question(stream)
      expect(asked.params.message).toBe(message)
      ids.add(asked.id)
      await session.answer(asked, YES)
    }
    expect(ids.size).toBe(3)
    expect(await result(session, taskId)).toBe('accept,accept,accept')
  })
})

const SAMPLE = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Sure?' } }],
  maxTokens: 10,
}
const TOOLS = [{ name: 'look', inputSchema: { type: 'object' as const } }]

const openUrl: Handler = async (ctx) =>
  (await ctx.elicit({ key: 'page', message: 'Open?', url: 'https://example.com/' })).action
const sampleWithTools: Handler = async (ctx) =>
  (await ctx.sample({ ...SAMPLE, tools: TOOLS })).model

const ANSWER = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }

describe('a client that cannot answer an ask of a task of another client', () => {
  it.for([
    ['a form', 'shows only URLs', { elicitation: { url: {} } }, confirm, YES, 'accept true'],
    ['a URL', 'shows only forms', { elicitation: {} }, openUrl, { action: 'accept' }, 'accept'],
    ['tools', 'samples without tools', { sampling: {} }, sampleWithTools, ANSWER, 'm'],
  ] as const)(
    'is not sent %s when it %s, and receives the result',
    async ([, , capabilities, handler, answer, text]) => {
      verifies('elicitation/supported-modes-only', 'sampling/tools-for-capable-clients-only')
      const creator = await open()
      const stream = await creator.listen()
      const taskId = await start(creator, handler)
      const asked = await question(stream)
      const other = await HttpSession.open({ url: ENDPOINT, fetch }, { capabilities })
      const waiting = new SseReader(await other.send('tasks/result', { taskId }))
      await creator.answer(asked, answer)
      expect((await waiting.message()).result?.content[0].text).toBe(text)
    },
  )
})

describe('a client without elicitation', () => {
  it('is not asked what a task of another client asks, and receives its result', async () => {
    const creator = await open()
    const stream = await creator.listen()
    const taskId = await start(creator)
    const asked = await question(stream)
    const other = await HttpSession.open({ url: ENDPOINT, fetch }, { capabilities: {} })
    const waiting = new SseReader(await other.send('tasks/result', { taskId }))
    await creator.answer(asked, YES)
    expect((await waiting.message()).result?.content[0].text).toBe('accept true')
  })
})

describe('tasks/result in a session', () => {
  it('keeps nothing in memory while the task runs, and returns its result after a kill', async () => {
    verifies('earlier-tasks/transport-is-followed-by-get', 'earlier-tasks/result-waits-for-the-end')
    const session = await open()
    const taskId = await start(session, async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    const stream = new SseReader(await session.send('tasks/result', { taskId }))
    while (stream.lastId === '') await stream.next()
    await stream.leave()
    await killSession(session)
    await control.deliver(taskId, 'event', 'it')
    expect(await resumed(session, stream.lastId)).toMatchObject({
      result: { content: [{ text: '"it"' }] },
    })
  })
})

describe('notifications/tasks/status', () => {
  it('reports the changes of a task on the standalone stream of its session, without related-task', async () => {
    verifies('earlier-tasks/times-are-in-every-task')
    const session = await open()
    const stream = await session.listen()
    const taskId = await start(session, async (ctx) => {
      await ctx.waitFor('event')
      return 'done'
    })
    await until(session, taskId, 'working')
    await control.deliver(taskId, 'event', 1)
    const messages = await untilStatus(stream, 'completed')
    const last = messages.at(-1)
    expect(last).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tasks/status',
      params: {
        taskId,
        status: 'completed',
        createdAt: expect.any(String),
        lastUpdatedAt: expect.any(String),
        ttl: expect.any(Number),
        pollInterval: 1000,
      },
    })
  })

  it('comes with the progress of the task, for the token of its request', async () => {
    const session = await open()
    const stream = await session.listen()
    const handler: Handler = async (ctx) => {
      await ctx.progress(1, 2, 'half')
      await ctx.waitFor('event')
      return 'done'
    }
    const call = { name: 'required', arguments: keepHandler(handler), task: {} }
    const _meta = { progressToken: 'token' }
    const { result } = await session.request('tools/call', { ...call, _meta })
    const { taskId } = result?.task ?? {}
    expect(await stream.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: {
        progressToken: 'token',
        progress: 1,
        total: 2,
        message: 'half',
        _meta: { [RELATED]: { taskId } },
      },
    })
    expect((await stream.message()).params).toMatchObject({ taskId, statusMessage: 'half' })
  })

  it('comes with progress that increases, also when the handler runs again after a kill', async () => {
    const session = await open()
    const stream = await session.listen()
    let runs = 0
    const handler: Handler = async (ctx) => {
      runs++
      await ctx.progress(1)
      // Longer than the time between two reports.
      await scheduler.wait(700)
      await ctx.progress(2)
      if (runs === 1) await new Promise<never>(() => undefined)
      await ctx.progress(3)
      return 'done'
    }
    const call = { name: 'required', arguments: keepHandler(handler), task: {} }
    const _meta = { progressToken: 'token' }
    const { result } = await session.request('tools/call', { ...call, _meta })
    const { taskId } = result?.task ?? {}
    const first = await stream.message()
    const values = [first.params.progress]
    while (values.at(-1) !== 2) values.push((await stream.message()).params.progress)
    await kill(taskId)
    await runDurableObjectAlarm(await objectOf(taskId))
    const messages = await untilStatus(stream, 'completed')
    for (const { params } of messages) values.push(params.progress)
    const reported = values.filter((value) => value !== undefined)
    expect(reported).toEqual([...new Set(reported)].sort())
    expect(runs).toBe(2)
  })

  it('reports a tool error as failed, without its text', async () => {
    const session = await open()
    const stream = await session.listen()
    await start(session, () => {
      throw new Error('secret')
    })
    const failed = await untilStatus(stream, 'failed')
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  it('is attempted again by the next alarm, soon after the end of a task that the session follows', async () => {
    const session = await open()
    const taskId = await start(session, () => 'done')
    await until(session, taskId, 'completed')
    const at = await runInDurableObject(await objectOf(taskId), (_, { storage }) =>
      storage.getAlarm(),
    )
    expect(at).toBeLessThanOrEqual(Date.now() + 10_000)
  })
})
