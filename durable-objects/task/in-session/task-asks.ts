/**
 * The asks of tasks, sent to the client as requests of the session: on the stream of `tasks/result` if one
 * is open, and otherwise on the standalone stream. An ask is sent once, and again only when the stream that
 * carried it has no reader and another one has.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
 */

import { canAnswerOf } from '../../../src/features/tasks/held/relay-asks.ts'
import { randomId } from '../../../src/platform/random-token.ts'
import type { TaskSnapshot } from '../../../src/ports/tasks.ts'
import { askParams } from '../../../src/protocol/codec/ask-params.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import { type ResponseMessage, requestText } from '../../../src/protocol/json-rpc.ts'
import { RELATED_TASK } from '../../../src/protocol/tasks.ts'
import type { WithdrawReason } from '../../run/run-state.ts'
import { cancelledText, responseOf } from '../../session/asks.ts'
import { taskAskKey } from '../../session/row-keys.ts'
import { Retention, type TaskAskRow } from '../../session/schema.ts'
import type { TaskPartContext } from '../../session/task-part.ts'
import { resultStreamsOf } from './result-streams.ts'
import type { StandaloneStream } from './standalone-stream.ts'
import { taskAskStatements } from './task-ask-statements.ts'

export class TaskAsks {
  readonly #context: TaskPartContext
  readonly #standalone: StandaloneStream

  constructor(context: TaskPartContext, standalone: StandaloneStream) {
    this.#context = context
    this.#standalone = standalone
  }

  /** The open asks of a task that the client of this session can answer. Another one may have created it. */
  answerable({ inputRequests = {} }: TaskSnapshot): Readonly<Record<string, JsonObject>> {
    const { capabilities } = this.#context.client.forCall()
    const asks = Object.entries(inputRequests).filter(([, { method, params }]) =>
      canAnswerOf(String(method), isJsonObject(params) ? params : {})(capabilities),
    )
    return Object.fromEntries(asks)
  }

  /** Sends the asks of a task that are new, and withdraws those that are not open any more. */
  replace(
    task: string,
    { taskId, createdAt, ttlMs, openAsks = [] }: TaskSnapshot,
    open: Readonly<Record<string, JsonObject>>,
  ): void {
    const { storage, client, lifetime } = this.#context
    const known = this.#existing?.ofTask(task) ?? []
    if (known.length === 0 && Object.keys(open).length === 0) return
    const expiresAt = createdAt + ttlMs
    storage.transaction(() => {
      client.persist()
      const statements = taskAskStatements(storage.statements)
      for (const ask of known) {
        if (Object.hasOwn(open, ask.key) || openAsks.includes(ask.key)) continue
        if (ask.answered === 0) this.#withdraw(ask, 'ended')
        storage.statements.deleteTaskAsk(ask.id)
      }
      for (const [key, request] of Object.entries(open)) {
        if (known.some((ask) => ask.key === key)) continue
        const id = `ask-${randomId()}`
        const method = String(request.method)
        const params = storage.write(taskAskKey(id), paramsText(request, taskId))
        const row = { id, task, task_id: taskId, key, method, params, expires_at: expiresAt }
        statements.insert({ ...row, stream_id: null, sent_at: null, answered: 0 })
      }
      this.#deliver(statements.ofTask(task))
    })
    lifetime.wakeAt(expiresAt)
  }

  /** Gives a task the response to its ask; false when no ask of a task has its id. */
  async respond(message: ResponseMessage): Promise<boolean> {
    const { deployment } = this.#context
    const statements = this.#existing
    const ask = typeof message.id === 'string' ? statements?.find(message.id) : undefined
    const tasks = deployment.services.tasks()
    if (statements === undefined || ask === undefined || tasks === undefined) return false
    const { kind, value } = responseOf(ask.method, message)
    const given = { [ask.key]: value }
    statements.saveAnswered(ask.id, true)
    try {
      if (kind === 'fresh') return await tasks.update(ask.task, given)
      return await tasks.update(ask.task, {}, { [ask.key]: String(value) })
    } catch (error) {
      // The client receives an error, and sends its response again.
      this.#existing?.saveAnswered(ask.id, false)
      throw error
    }
  }

  /** Withdraws the asks of tasks whose lifetime is over, before their rows are deleted. */
  expire(now: number): void {
    for (const ask of this.#existing?.all() ?? []) {
      if (ask.expires_at <= now && ask.answered === 0) this.#withdraw(ask, 'ended')
    }
  }

  /** Sends the asks that no reader has: after a stream was opened or closed, or a request for a result has ended. */
  deliver(): void {
    const { storage } = this.#context
    const asks = this.#existing?.all() ?? []
    if (asks.length > 0) storage.transaction(() => this.#deliver(asks))
  }

  /** Undefined before the session has stored anything. */
  get #existing() {
    const { existing } = this.#context.storage
    return existing && taskAskStatements(existing)
  }

  #deliver(asks: readonly TaskAskRow[]): void {
    const { sockets, lifetime, reconnectMs } = this.#context
    for (const ask of asks) {
      const { task_id, stream_id, sent_at, answered } = ask
      if (answered === 1) continue
      const { running, waiting } = resultStreamsOf(this.#context, task_id)
      const read =
        running[0] ?? waiting.find((stream) => sockets.has(stream)) ?? this.#standalone.id
      const stream = read ?? waiting[0]
      if (stream_id === null || sent_at === null) {
        if (stream !== undefined) this.#send(ask, stream)
        continue
      }
      if (sockets.has(stream_id) || read === undefined || read === stream_id) continue
      const movesAt = sent_at + reconnectMs
      if (movesAt > Date.now()) lifetime.wakeAt(movesAt)
      else {
        this.#withdraw(ask, 'ended')
        // A client that has received it on the other stream must not take it for the same request.
        this.#send(this.#renamed(ask), read)
      }
    }
  }

  #send(ask: TaskAskRow, stream: string): void {
    const { storage, logs, codec } = this.#context
    if (stream === this.#standalone.id) this.#standalone.open()
    taskAskStatements(storage.statements).saveSent(ask.id, stream, Date.now())
    const params = JSON.parse(storage.read(taskAskKey(ask.id), ask.params))
    const asked = askParams(codec.revision, ask.method, params, ask.id)
    const text = requestText(ask.id, ask.method, asked)
    logs.append(stream, text, Retention.always)
  }

  /** The same ask with a new id. */
  #renamed(ask: TaskAskRow): TaskAskRow {
    const { storage } = this.#context
    const text = storage.read(taskAskKey(ask.id), ask.params)
    const id = `ask-${randomId()}`
    const renamed = { ...ask, id, params: storage.write(taskAskKey(id), text) }
    storage.statements.deleteTaskAsk(ask.id)
    taskAskStatements(storage.statements).insert(renamed)
    return renamed
  }

  #withdraw({ id, stream_id, task_id }: TaskAskRow, reason: WithdrawReason): void {
    const { storage, logs } = this.#context
    // The log may have expired.
    if (stream_id === null || storage.statements.stream(stream_id)?.ended_at !== null) return
    logs.append(stream_id, cancelledText(id, reason, relatedTo(task_id)), Retention.prunable)
  }
}

/** The params of an ask with the id of its task, as JSON text. */
function paramsText({ params }: JsonObject, taskId: string): string {
  const asked = isJsonObject(params) ? params : {}
  const meta = isJsonObject(asked._meta) ? asked._meta : {}
  return JSON.stringify({ ...asked, _meta: { ...meta, ...relatedTo(taskId) } })
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#associating-task-related-messages */
function relatedTo(taskId: string): JsonObject {
  return { [RELATED_TASK]: { taskId } }
}
