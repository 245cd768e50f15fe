/** Starts a call that may become a task in its object, and converts how it began to an outcome. */

import type { Call, CallRun, ResultText } from '../../dispatch/call.ts'
import { Journal, type JournalState, parseJournalState } from '../../dispatch/journal/journal.ts'
import { Suspension } from '../../dispatch/journal/suspension.ts'
import { journalOf } from '../../dispatch/run-handler.ts'
import { CancelledError } from '../../dispatch/settle.ts'
import { clientNetwork } from '../../platform/client-network.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { TaskLimits } from '../../ports/task-limits.ts'
import type {
  NewTask,
  TaskBeginning,
  TaskRequest,
  TaskSnapshot,
  Tasks,
  TaskTerms,
} from '../../ports/tasks.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { linesWithoutCredentials } from '../../protocol/credential-headers.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import { declaresTasks, hasTasks, type Task, tooManyTasks } from '../../protocol/tasks.ts'
import type { TaskDefinition, ToolDefinition } from '../../server/definition.ts'
import { holdMs } from './held/hold-time.ts'
import { protocolErrorOf } from './task-error.ts'
import { sealTaskId, taskPrincipal } from './task-ids.ts'
import { noTask, taskOnly } from './task-only.ts'

/** How long a call that a request holds may answer, ask or report before it has a row, in milliseconds. */
const HELD_INLINE_MS = 1000

/**
 * The terms of a call that a request holds: a call of a tool with optional tasks, by a client without tasks. Undefined
 * for any other call.
 */
export function heldTermsOf(
  { task, timeoutMs }: ToolDefinition,
  { revision }: Codec,
  call: Call,
): TaskTerms | undefined {
  const { request, client, run, deployment } = call
  if (task?.support !== 'optional' || run.task !== undefined) return undefined
  // A revision without the member ignores it.
  const asksForTask = revision.features.tasks && request.params?.task !== undefined
  if (asksForTask || hasTasks(client)) return undefined
  const tasks = call.services.tasks()
  if (tasks === undefined || call.services.sealer() === undefined) return undefined
  return {
    ...termsOf(task, tasks.limits),
    inlineMs: Math.min(Math.max(task.inlineMs, HELD_INLINE_MS), holdMs(call, tasks)),
    mayAnswerInline: true,
    asksBefore: true,
    withoutTaskMs: timeoutMs ?? deployment.limits.handlerTimeoutMs,
  }
}

/**
 * The terms under which a call of a tool becomes a task; undefined when it does not become one.
 *
 * @throws {ProtocolError} when the tool needs a task and the client has none, or the reverse
 */
export function taskTermsOf(tool: ToolDefinition, codec: Codec, call: Call): TaskTerms | undefined {
  const { info, task, timeoutMs } = tool
  const { request, client, run, deployment, services } = call
  // Nearly every call. The one that runs in the object of its task is that task.
  if (task === undefined && request.params?.task === undefined) return undefined
  if (run.task !== undefined) return undefined
  const { features, era } = codec.revision
  const tasks = services.tasks()
  if (task === undefined) {
    // A server without tasks ignores the request for one.
    if (features.tasks && request.params?.task !== undefined && tasks !== undefined) {
      throw noTask(`Tool ${info.name} cannot be called as a task`)
    }
    return undefined
  }
  const isRequired = task.support === 'required'
  if (tasks === undefined) {
    if (!isRequired) return undefined
    throw notBound(deployment.report, `Tool ${info.name}`, 'add the binding MCP_OBJECTS')
  }
  const refuse = () => taskOnly(tool, codec, call)
  if (era === 'modern') {
    if (declaresTasks(client.capabilities)) {
      const { handlerTimeoutMs } = deployment.limits
      const terms = termsOf(task, tasks.limits)
      return isRequired ? terms : { ...terms, withoutTaskMs: timeoutMs ?? handlerTimeoutMs }
    }
    if (!isRequired) return undefined
    throw refuse()
  }
  const asked = features.tasks ? request.params?.task : undefined
  if (asked === undefined) {
    if (!isRequired) return undefined
    throw refuse()
  }
  // The client of this revision has asked for a task, so it gets one at once.
  const terms = termsOf(task, tasks.limits)
  const ttlMs = requestedTtl(asked, terms.ttlMs, tasks.limits.ttlMs)
  return { ...terms, inlineMs: 0, asksBefore: false, mayAnswerInline: false, ttlMs }
}

function termsOf(
  { support, inlineMs, asks, ttlMs, pollIntervalMs, maxPollIntervalMs }: TaskDefinition,
  limits: TaskLimits,
): TaskTerms {
  return {
    inlineMs,
    mayAnswerInline: support === 'optional',
    asksBefore: asks === 'before',
    ttlMs: Math.min(ttlMs, limits.ttlMs),
    pollIntervalMs,
    maxPollIntervalMs,
  }
}

/** @throws {ProtocolError} invalidParams, for a malformed `params.task` */
function requestedTtl(asked: unknown, defaultMs: number, maxMs: number): number {
  if (!isJsonObject(asked)) throw invalidParams('params.task must be an object')
  const { ttl } = asked
  if (ttl === undefined || ttl === null) return defaultMs
  if (typeof ttl !== 'number' || !(ttl > 0)) {
    throw invalidParams('params.task.ttl must be a positive number of milliseconds')
  }
  return Math.max(1, Math.min(Math.floor(ttl), maxMs))
}

/** A call whose principal has as many tasks as the limit, and which needs none. */
export interface WithoutTask {
  /** With the journal of the handler, if it has begun. */
  readonly call: Call
  /** The error of a handler that needs a task after all. */
  readonly refusal: ProtocolError
}

/**
 * @throws {Suspension} when the handler asked before the call became a task
 * @throws {ProtocolError} the error of the call
 */
export async function startTask(
  call: Call,
  codec: Codec,
  terms: TaskTerms,
  tool: ToolDefinition,
): Promise<ResultText | WithoutTask> {
  const journal = await journalOf(call, tool.singleUse)
  const name = randomToken()
  const start = { name, taskId: await taskIdOf(call, name), journal, held: undefined }
  const beginning = await requestStart(call, codec, terms, tool, start)
  if (beginning.kind !== 'full') return resultOf(beginning, codec)
  const { limit, state } = beginning
  const begun = state === undefined ? journal : new Journal(parsedState(state))
  return withoutTask(call, begun, limit)
}

/** @throws {CancelledError} for a call whose client has left meanwhile */
export function withoutTask(call: Call, journal: Journal | undefined, limit: number): WithoutTask {
  throwIfCancelled(call.run)
  return { call: { ...call, run: { ...call.run, journal } }, refusal: tooManyTasks(limit) }
}

/** What a call is started with, besides its terms. */
interface StartOptions {
  /** The name of the task object. */
  readonly name: string
  /** That of `taskIdOf`. */
  readonly taskId: string
  /** That of the earlier rounds. */
  readonly journal: Journal | undefined
  readonly held: TaskRequest['held']
}

/** Starts a call in its task object, and returns how it began. @throws {CancelledError} */
export async function requestStart(
  call: Call,
  codec: Codec,
  terms: TaskTerms,
  tool: ToolDefinition,
  { name, taskId, journal, held }: StartOptions,
): Promise<TaskBeginning> {
  const { request, client, services } = call
  const tasks = services.tasks()
  if (tasks === undefined) throw new TypeError('A task needs its binding')
  const { id, method, params, auth, grant, factoryParams, headers, origin } = request
  const start = {
    request: {
      name,
      id,
      method,
      params,
      revision: codec.revision.id,
      era: client.era,
      clientInfo: client.info,
      capabilities: client.capabilities,
      factoryParams,
      headers: linesWithoutCredentials(headers),
      taskId,
      origin: origin(),
      ...(held && { held }),
      exchange: call.run.recording?.exchange,
    },
    terms,
    access: { tool: tool.info.name, scopes: tool.scopes },
    caller: auth && { auth, grant },
    network: clientNetwork({ headers }),
    // The request that holds a call asks and reports itself.
    follower: held === undefined ? call.run.session?.follower : undefined,
    journal: journal && JSON.stringify(journal.toTransfer()),
  }
  const beginning = await startUnlessCancelled(tasks, start, call.run)
  if (beginning.kind === 'result' && beginning.isToolError) call.run.recording?.markToolError()
  return beginning
}

/** For the model that no call can work, and for the author what is missing. */
function notBound(report: TelemetrySink, subject: string, cure: string): ProtocolError {
  report({ type: 'definition-warning', subject, message: `it needs tasks: ${cure}` })
  const text = `${subject} cannot run on this server, which is not set up for tasks. Do not call it again: tell the person.`
  return new ProtocolError(ErrorCode.internalError, text)
}

/** Seals the id of a task of the caller. @throws {ProtocolError} without the keyring */
export async function taskIdOf(
  { request, deployment, services }: Call,
  name: string,
): Promise<string> {
  const sealer = services.sealer()
  if (sealer === undefined) {
    throw notBound(deployment.report, 'The task', 'add the binding MCP_OBJECTS')
  }
  return sealTaskId(sealer, deployment.audience, name, await taskPrincipal(request.auth))
}

/**
 * Cancels the call in its object when it is cancelled before it has begun: the client has no id of a task yet.
 *
 * @throws {CancelledError} for a call that is cancelled before it reaches its object
 */
async function startUnlessCancelled(
  tasks: Tasks,
  start: NewTask,
  run: CallRun,
): Promise<TaskBeginning> {
  throwIfCancelled(run)
  let isBeginning = true
  run.cancellation.onCancel(() => {
    if (!isBeginning) return
    run.waitUntil(tasks.cancel(start.request.name).catch(() => undefined))
  })
  try {
    return await tasks.start(start)
  } finally {
    isBeginning = false
  }
}

function throwIfCancelled({ cancellation: { reason } }: CallRun): void {
  if (reason !== undefined) throw new CancelledError(reason)
}

function resultOf(beginning: Exclude<TaskBeginning, { kind: 'full' }>, codec: Codec): ResultText {
  switch (beginning.kind) {
    case 'task':
      return codec.createdTaskText(toTask(beginning.task))
    case 'result':
      return beginning.text
    case 'error':
      throw protocolErrorOf(beginning.error)
    case 'asks': {
      const { requests, state, singleUse } = beginning
      throw new Suspension(requests, parsedState(state), singleUse)
    }
  }
}

/** The journal that a task object has returned. */
export function parsedState(text: string): JournalState {
  const state = parseJournalState(JSON.parse(text))
  if (state === undefined) throw new TypeError('The task returned a malformed journal')
  return state
}

/** The members of a task on the wire, without those of its status. */
export function toTask(snapshot: TaskSnapshot): Task {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } =
    snapshot
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? undefined : { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  }
}
