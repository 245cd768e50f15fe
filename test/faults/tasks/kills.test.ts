/**
 * Kills the process while tasks run, sleep, and wait for events. Every task ends with its result, and the
 * effect of each step is counted once.
 */
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'
import { delay } from '../sessions/delay.ts'
import { isBroken } from '../sessions/is-broken.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

const TASKS = 'io.modelcontextprotocol/tasks'

/** Longest time until a task that is interrupted goes on by itself: its alarm. */
const ALARM_MS = 10_000

interface Result {
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  readonly [member: string]: any
}

/** Sends a modern request; undefined while the server is down. */
async function send(
  { url }: { readonly url: string },
  method: string,
  params: Record<string, unknown>,
): Promise<Result | undefined> {
  const name = params.name ?? params.taskId
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(name),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    // A request that takes long is answered on a stream, which a kill may end without an answer.
    const message = await readMessage(response)
    return message?.result ?? message?.error
  } catch (error) {
    if (!isBroken(error)) throw error
    return undefined
  }
}

async function call(server: PersistentServer, name: string, args: object): Promise<string> {
  const task = await send(server, 'tools/call', { name, arguments: args })
  expect(task?.resultType, JSON.stringify(task)).toBe('task')
  return task?.taskId
}

async function ended(server: PersistentServer, taskId: string): Promise<Result> {
  for (;;) {
    const task = await send(server, 'tasks/get', { taskId })
    if (task?.status !== 'working') return task ?? {}
    await delay(50)
  }
}

async function countOf(server: PersistentServer, name: string): Promise<number> {
  const read = await send(server, 'tools/call', { name: 'read_count', arguments: { name } })
  return read?.structuredContent.value
}

const ONE_TO_TEN = Array.from({ length: 10 }, (_, index) => index + 1)

describe('a killed server', () => {
  it('finishes a task of ten steps, each counted once, over ten kills', async ({
    onTestFinished,
  }) => {
    verifies('tasks/task-is-durable-first')
    const server = await PersistentServer.start(onTestFinished)
    const taskId = await call(server, 'ten_steps', { name: 'kills', gapMs: 150 })
    for (let kills = 0; kills < 10; kills++) {
      // At different moments of steps and pauses.
      await delay(40 + 23 * kills)
      await server.restart()
      expect((await send(server, 'tasks/get', { taskId }))?.code).toBeUndefined()
    }
    expect((await ended(server, taskId)).result.content[0].text).toBe('done')
    for (const step of ONE_TO_TEN) expect(await countOf(server, `kills-${step}`)).toBe(1)
  })

  it('continues tasks that sleep, wait for an event, and are not looked at', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const asleep = await call(server, 'sleep_step', { name: 'asleep', ms: 1500 })
    const waiting = await call(server, 'wait_event', { name: 'waiting' })
    const alone = await call(server, 'ten_steps', { name: 'alone', gapMs: 100 })
    await delay(300)
    await server.restart()
    const delivered = await fetch(new URL('/probe/deliver', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ taskId: waiting, key: 'event', value: { ok: true } }),
    })
    expect(delivered.status).toBe(200)
    expect((await ended(server, waiting)).result.structuredContent).toEqual({ ok: true })
    expect((await ended(server, asleep)).result.content[0].text).toBe('done')
    for (const name of ['waiting', 'asleep']) {
      expect(await countOf(server, `${name}-before`)).toBe(1)
      expect(await countOf(server, `${name}-after`)).toBe(1)
    }
    // Its alarm finds it without a request.
    await delay(ALARM_MS)
    await expect.poll(() => countOf(server, 'alone-10')).toBe(1)
    expect((await ended(server, alone)).result.content[0].text).toBe('done')
  })
})
