/**
 * The tasks of a session's client. What a task asks goes to the client as a request: on the stream of
 * `tasks/result` if one is open, and otherwise on the standalone stream. It is sent once, and again only
 * when the stream that carried it has no reader and another one has.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import { taskBody } from '../../src/dispatch/methods/tasks.ts'
import type { StreamKind } from '../../src/ports/sessions.ts'
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import { hasCapability } from '../../src/protocol/capabilities.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { notificationText, type ResponseMessage, requestText } from '../../src/protocol/json-rpc.ts'
import { isOverStatus, RELATED_TASK } from '../../src/protocol/tasks.ts'
import type { WithdrawReason } from '../run/run-state.ts'
import { type Asks, cancelledText, responseOf } from './asks.ts'
import type { ClientState } from './client-state.ts'
import { createId } from './create-id.ts'
import { taskAskKey } from './row-keys.ts'
import type { RunWaits } from './run-waits.ts'
import { Retention, type TaskAskRow } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { StreamSockets } from './stream-sockets.ts'

/** What a client declares that answers an ask. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

export interface SessionTasksContext {
  readonly storage: SessionStorage
  readonly logs: StreamLogs
  readonly sockets: StreamSockets
  readonly asks: Asks
  readonly client: ClientState
  readonly waits: RunWaits
  readonly codec: () => Codec
  readonly deployment: Deployment
  /** Sets the alarm that deletes what is written here. */
  readonly schedule: (by: number) => void
  readonly logRetentionMs: number
  /** How long after an ask was sent its reader may be about to connect, or to connect again. */
  readonly reconnectMs: number
}

export class SessionTasks {
  readonly #context: SessionTasksContext
  /** The version of each task that was received last, because states may arrive out of order. */
  readonly #versions = new Map<string, number>()

  constructor(context: SessionTasksContext) {
    this.#context = context
  }

  /** Asks a task to report its changes to this session, and returns its present state. */
  async follow(task: string, subject: string | undefined): Promise<TaskSnapshot | undefined> {
    const { client, deployment } = this.#context
    const follower = { claims: client.claims, subject }
    for (;;) {
      const state = await deployment.services.tasks()?.follow(task, follower)
      if (state === undefined || isOverStatus(state.status)) return state
      await this.#receive(task, state, follower)
      // The task may have changed, and reported it, while its asks were announced.
      if ((this.#versions.get(task) ?? 0) <= state.version) return state
    }
  }

  /** Processes a change that a task reports. */
  async changed(task: string, state: TaskSnapshot, follower: TaskFollower): Promise<void> {
    if (await this.#receive(task, state, follower)) {
      this.#reportProgress(state)
      this.#reportStatus(state)
    }
    if (isOverStatus(state.status)) this.#context.waits.taskEnded(state.taskId)
  }

  /** Gives a task the response to its ask; false when no ask of a task has its id. */
  async respond(message: ResponseMessage): Promise<boolean> {
    const { storage, deployment } = this.#context
    const ask = typeof message.id === 'string' ? storage.existing?.taskAsk(message.id) : undefined
    const tasks = deployment.services.tasks()
    if (ask === undefined || tasks === undefined) return false
    const { kind, value } = responseOf(ask, message)
    const given = { [ask.key]: value }
    storage.statements.saveAnswered(ask.id, true)
    try {
      if (kind === 'fresh') return await tasks.update(ask.task, given)
      return await tasks.update(ask.task, {}, { [ask.key]: String(value) })
    } catch (error) {
      // The client receives an error, and sends its response again.
      storage.existing?.saveAnswered(ask.id, false)
      throw error
    }
  }

  /** Sends the asks that no reader has: after a stream has opened, or a request for a result has ended. */
  deliver(): void {
    const { storage } = this.#context
    const asks = storage.existing?.taskAsks() ?? []
    if (asks.length > 0) storage.transaction(() => this.#deliver(asks))
  }

  /** Deletes the asks of tasks that have ended, and returns when the next ones end. */
  deleteExpired(now: number): number | undefined {
    const { existing } = this.#context.storage
    let next: number | undefined
    for (const { id, expires_at } of existing?.taskAsks() ?? []) {
      if (expires_at <= now) existing?.deleteTaskAsk(id)
      else next = Math.min(next ?? expires_at, expires_at)
    }
    return next
  }

  /** False for a state that is older than one that was received. */
  async #receive(task: string, state: TaskSnapshot, { subject }: TaskFollower): Promise<boolean> {
    const { storage, asks, client, deployment, schedule } = this.#context
    const { taskId } = state
    const inputRequests = this.#answerable(state)
    await asks.announce({ requests: inputRequests }, subject, deployment)
    const last = this.#versions.get(task) ?? 0
    if (state.version < last) return false
    this.#versions.set(task, state.version)
    const known = storage.existing?.asksOfTask(task) ?? []
    if (known.length === 0 && Object.keys(inputRequests).length === 0) return state.version > last
    const expiresAt = state.createdAt + state.ttlMs
    storage.transaction(() => {
      client.persist()
      const { statements } = storage
      for (const ask of known) {
        if (Object.hasOwn(inputRequests, ask.key)) continue
        if (ask.answered === 0) this.#withdraw(ask, 'ended')
        statements.deleteTaskAsk(ask.id)
      }
      for (const [key, request] of Object.entries(inputRequests)) {
        if (known.some((ask) => ask.key === key)) continue
        const id = `ask-${createId()}`
        const method = String(request.method)
        const params = storage.write(taskAskKey(id), paramsText(request, taskId))
        const row = { id, task, task_id: taskId, key, method, params, expires_at: expiresAt }
        statements.insertTaskAsk({ ...row, stream_id: null, sent_at: null, answered: 0 })
      }
      this.#deliver(statements.asksOfTask(task))
    })
    schedule(expiresAt)
    return state.version > last
  }

  /** The asks that the client of this session can answer. Another one may have created the task. */
  #answerable({ inputRequests = {} }: TaskSnapshot): Readonly<Record<string, JsonObject>> {
    const { capabilities } = this.#context.client.forCall()
    const asks = Object.entries(inputRequests).filter(([, { method }]) => {
      const needed = CAPABILITIES[String(method)]
      return needed === undefined || hasCapability(capabilities, [needed])
    })
    return Object.fromEntries(asks)
  }

  #deliver(asks: readonly TaskAskRow[]): void {
    const { sockets, waits, schedule, reconnectMs } = this.#context
    const standalone = this.#standalone?.stream
    for (const ask of asks) {
      const { task_id, stream_id, sent_at, answered } = ask
      if (answered === 1) continue
      const { running, waiting } = waits.resultStreams(task_id)
      const read = running[0] ?? waiting.find((stream) => sockets.has(stream)) ?? standalone
      const stream = read ?? waiting[0]
      if (stream_id === null || sent_at === null) {
        if (stream !== undefined) this.#send(ask, stream)
        continue
      }
      if (sockets.has(stream_id) || read === undefined || read === stream_id) continue
      const movesAt = sent_at + reconnectMs
      if (movesAt > Date.now()) schedule(movesAt)
      else {
        this.#withdraw(ask, 'ended')
        // A client that has received it on the other stream must not take it for the same request.
        this.#send(this.#renamed(ask), read)
      }
    }
  }

  #send(ask: TaskAskRow, stream: string): void {
    const { storage, logs, codec } = this.#context
    const standalone = this.#standalone
    if (stream === standalone?.stream) this.#open(standalone)
    storage.statements.saveSentAsk(ask.id, stream, Date.now())
    const params = JSON.parse(storage.read(taskAskKey(ask.id), ask.params))
    const text = requestText(ask.id, ask.method, codec().askParams(ask.method, params, ask.id))
    logs.append(stream, text, Retention.always)
  }

  /** The same ask with a new id. */
  #renamed(ask: TaskAskRow): TaskAskRow {
    const { storage } = this.#context
    const text = storage.read(taskAskKey(ask.id), ask.params)
    const id = `ask-${createId()}`
    const renamed = { ...ask, id, params: storage.write(taskAskKey(id), text) }
    storage.statements.deleteTaskAsk(ask.id)
    storage.statements.insertTaskAsk(renamed)
    return renamed
  }

  #withdraw({ id, stream_id }: TaskAskRow, reason: WithdrawReason): void {
    const { storage, logs } = this.#context
    // The log may have expired.
    if (stream_id === null || storage.statements.stream(stream_id)?.ended_at !== null) return
    logs.append(stream_id, cancelledText(id, reason), Retention.prunable)
  }

  #reportStatus(state: TaskSnapshot): void {
    const { storage, logs, codec } = this.#context
    const standalone = this.#standalone
    if (standalone === undefined) return
    const text = notificationText(
      'notifications/tasks/status',
      taskBody(state, codec()) as JsonObject,
    )
    storage.transaction(() => {
      this.#open(standalone)
      logs.append(standalone.stream, text, Retention.prunable)
    })
  }

  /** Progress of a request that has become a task goes where its asks would go. */
  #reportProgress({ taskId, progress, status }: TaskSnapshot): void {
    if (progress === undefined || isOverStatus(status)) return
    const { storage, logs, sockets, waits, codec } = this.#context
    const standalone = this.#standalone
    const { waiting } = waits.resultStreams(taskId)
    const stream = waiting.find((each) => sockets.has(each)) ?? standalone?.stream
    if (stream === undefined) return
    const params = codec().progressParams(progress.token, progress)
    const related = { ...params, _meta: { [RELATED_TASK]: { taskId } } }
    storage.transaction(() => {
      if (stream === standalone?.stream) this.#open(standalone)
      logs.append(stream, notificationText('notifications/progress', related), Retention.prunable)
    })
  }

  /** The stream that carries changes, if it has a reader. */
  get #standalone(): { readonly stream: string; readonly kind: StreamKind } | undefined {
    const { sockets } = this.#context
    const [socket] = sockets.changeSockets
    return socket && sockets.streamOf(socket)
  }

  #open({ stream, kind }: { readonly stream: string; readonly kind: StreamKind }): void {
    const { client, logs, schedule, logRetentionMs } = this.#context
    client.persist()
    logs.open(stream, kind)
    schedule(Date.now() + logRetentionMs)
  }
}

/** The params of an ask with the id of its task, as JSON text. */
function paramsText({ params }: JsonObject, taskId: string): string {
  const asked = isJsonObject(params) ? params : {}
  const meta = isJsonObject(asked._meta) ? asked._meta : {}
  return JSON.stringify({ ...asked, _meta: { ...meta, [RELATED_TASK]: { taskId } } })
}
