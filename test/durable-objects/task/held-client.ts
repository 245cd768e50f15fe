/** A client of 2026-07-28 that declares forms, and no tasks. */
// features: tasks

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { TaskObject } from '../../../durable-objects/task/task-object.ts'
import { openWebhook } from '../../../src/features/asks/webhook-secrets.ts'
import { advanceClock } from '../../support/clock.ts'
import type { FullOptions } from '../../support/full-app.ts'
import type { FullContext } from '../../support/full-server.ts'
import { objectsOfKind, testSealer } from '../../support/objects.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { parseMessages } from '../../support/sse-parser.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { taskServer } from '../../support/task-server.ts'
import { type Answer, modernRequest, openApp, type TestApp } from '../../support/test-app.ts'
import type { Tool } from './task-client.ts'

const META = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

/** An hour: longer than the handler and the question together. */
const EXPIRED_MS = 3_600_000

type Waiting = (
  ctx: FullContext,
  show: (url: string) => Promise<void>,
) => ReturnType<Handler> | Promise<string>

export class HeldClient {
  readonly app: TestApp
  readonly #asked = new WeakMap<Answer, Record<string, unknown>>()

  constructor(options: FullOptions = {}, bindings: object = env) {
    this.app = openApp(taskServer, options, bindings as typeof env)
  }

  /** Sends a call and reads its answer, which may be a stream. */
  async send(params: Record<string, unknown>): Promise<Answer> {
    const answer = await this.app.modern('tools/call', params, { meta: META })
    const { body } = answer
    const read = typeof body === 'string' ? { ...answer, body: parseMessages(body).at(-1) } : answer
    this.#asked.set(read, params)
    return read
  }

  call(tool: Tool, handler: Handler): Promise<Answer> {
    return this.send({ name: tool, arguments: keepHandler(handler) })
  }

  /** The next round of a call. */
  answer(asked: Answer, inputResponses: Record<string, unknown>): Promise<Answer> {
    const { requestState } = asked.body.result
    return this.send({ ...this.#asked.get(asked), inputResponses, requestState })
  }

  /** Calls the tool `plain` and reads its messages as they come. */
  async stream(handler: Handler): Promise<SseReader> {
    const params = { name: 'plain', arguments: keepHandler(handler) }
    const meta = { ...META, progressToken: 'token' }
    const { body, headers } = modernRequest('tools/call', params, { meta })
    return new SseReader(await this.app.post(body, headers))
  }

  /** Calls a handler that shows the URL of its webhook, and returns its stream after that. */
  async waiting(handler: Waiting): Promise<{ stream: SseReader; url: string }> {
    const stream = await this.stream((ctx) =>
      handler(ctx, (url) => ctx.progress(1, undefined, url)),
    )
    return { stream, url: (await stream.message()).params.message }
  }

  async deliver(url: string, value: unknown): Promise<number> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(value)
    return (await this.app.fetch(new Request(url, { method: 'POST', headers, body }))).status
  }

  /** Ends the object that receives what is delivered to a URL, as a kill of its process does. */
  async kill(url: string): Promise<void> {
    const stub = await inboxOf(url)
    await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
  }

  /** The tables of that object. */
  async tablesOf(url: string): Promise<readonly string[]> {
    return runInDurableObject(await inboxOf(url), (_, { storage }) => {
      const tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
      return [...storage.sql.exec<{ name: string }>(tables)].map(({ name }) => name)
    })
  }

  /** Moves the clock behind the expiry of that object, and runs its alarm. */
  async expire(url: string): Promise<void> {
    advanceClock(EXPIRED_MS)
    await runDurableObjectAlarm(await inboxOf(url))
  }
}

async function inboxOf(url: string) {
  const secret = new URL(url).pathname.replace('/webhooks/', '')
  const webhook = await openWebhook(testSealer(), 'tasks', secret)
  if (webhook === undefined) throw new TypeError('The URL is not that of a webhook')
  return objectsOfKind<TaskObject>('task', 'tasks').named(webhook.name)
}
