/** Decides how a call of a tool runs: in its request, held by its request, or as a task; or that it is refused. */
import type { Call, ThroughModel } from '../../dispatch/call.ts'
import type { Tasks, TaskTerms } from '../../ports/tasks.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import { hasTasks } from '../../protocol/tasks.ts'
import { UNPLANNED_TASK } from '../../server/define/task.ts'
import type { TaskDefinition, ToolDefinition } from '../../server/definition.ts'
import { showsForms } from '../asks/journal/elicitation.ts'
import { asksThroughModel } from '../asks/through-model.ts'
import { holdMs } from './held/hold-time.ts'
import { noTask, taskOnly } from './task-only.ts'

/** How long a call that a request holds may answer, ask or report before it has a row, in milliseconds. */
const HELD_INLINE_MS = 1000

/**
 * `asked`: of a revision in which the client asks for each task, and it has. `unasked`: it has not. `declared`: of the
 * modern era, in which the server decides. `none`: the client has no tasks.
 */
type ClientTasks = 'asked' | 'unasked' | 'declared' | 'none'

type Way = 'in-request' | 'held' | 'task' | 'refused'

/** By the tool's support of tasks, on a server that has their binding. */
const WAYS: Readonly<Record<'none' | 'optional' | 'required', Readonly<Record<ClientTasks, Way>>>> =
  {
    none: { asked: 'refused', unasked: 'in-request', declared: 'in-request', none: 'in-request' },
    optional: { asked: 'task', unasked: 'in-request', declared: 'task', none: 'held' },
    required: { asked: 'task', unasked: 'refused', declared: 'task', none: 'refused' },
  }

function wayOf(
  { task }: ToolDefinition,
  clientTasks: ClientTasks,
  { services }: Call,
  canHold: boolean,
): Way {
  // A server without tasks ignores the request for one.
  if (services.tasks() === undefined) return task?.support === 'required' ? 'refused' : 'in-request'
  const way = WAYS[task?.support ?? 'none'][clientTasks]
  return way === 'held' && !(canHold && services.sealer()) ? 'in-request' : way
}

/**
 * Returns the terms of a call that is held or becomes a task; undefined for one that runs in its request.
 *
 * @param mode which forms the call asks through the model. Where all are, it is held for a client with tasks too
 * @param canHold whether a client without tasks can fetch the result
 * @throws {ProtocolError} when the tool needs a task and the client has none, or the reverse
 */
export function decideCall(
  tool: ToolDefinition,
  codec: Codec,
  call: Call,
  mode: ThroughModel | undefined,
  canHold: boolean,
): { readonly terms: TaskTerms; readonly isHeld: boolean } | undefined {
  const { request, run } = call
  // The call that runs in the object of its task is that task.
  if ((tool.task === undefined && request.params?.task === undefined) || run.task !== undefined) {
    return undefined
  }
  const declared = clientTasksOf(codec, call)
  const clientTasks = mode === 'all' && declared === 'declared' ? 'none' : declared
  const way = wayOf(tool, clientTasks, call, canHold)
  if (way === 'in-request') return undefined
  const tasks = call.services.tasks()
  if (way === 'refused' || tool.task === undefined || tasks === undefined) {
    throw refusalOf(tool, codec, call)
  }
  const terms = termsOf(tool, tasks, tool.task, clientTasks, call)
  const isHeld = way === 'held'
  return { terms: mode === undefined ? terms : { ...terms, asksBefore: false }, isHeld }
}

/**
 * Which forms a call asks through the model of its client; undefined where it asks none so, as where it is a task itself.
 *
 * @param option that of `asks()`
 */
export function modelAsksOf(
  option: boolean,
  tool: ToolDefinition,
  { run, client, services, request }: Call,
): ThroughModel | undefined {
  if (run.task !== undefined || tool.task?.support === 'required') return undefined
  // Such a client has its own way to be asked: by a request, or by its task.
  const canBeAsked = run.canAsk && showsForms(client.capabilities)
  if (canBeAsked || request.params?.task !== undefined) return undefined
  if (services.tasks() === undefined || services.sealer() === undefined) return undefined
  return asksThroughModel(option, tool) ? 'all' : 'each'
}

/** The terms of a call that becomes a task only because it asks through the model. */
export function unplannedTerms(tool: ToolDefinition, call: Call, tasks: Tasks): TaskTerms {
  return { ...termsOf(tool, tasks, UNPLANNED_TASK, 'none', call), asksBefore: false }
}

function clientTasksOf({ revision }: Codec, { request, client }: Call): ClientTasks {
  // A revision without the member ignores it.
  if (revision.features.tasks && request.params?.task !== undefined) return 'asked'
  if (!hasTasks(client)) return 'none'
  return revision.era === 'modern' ? 'declared' : 'unasked'
}

function refusalOf(tool: ToolDefinition, codec: Codec, call: Call): ProtocolError {
  const { deployment, services } = call
  const subject = `Tool ${tool.info.name}`
  if (tool.task === undefined) return noTask(`${subject} cannot be called as a task`)
  return services.tasks() === undefined
    ? notBound(deployment.report, subject)
    : taskOnly(tool, codec, call)
}

function termsOf(
  tool: ToolDefinition,
  tasks: Tasks,
  { support, inlineMs, asks, ttlMs, pollIntervalMs, maxPollIntervalMs }: TaskDefinition,
  clientTasks: ClientTasks,
  call: Call,
): TaskTerms {
  const { handlerTimeoutMs } = call.deployment.limits
  const { limits } = tasks
  const terms = {
    inlineMs,
    mayAnswerInline: support === 'optional',
    asksBefore: asks === 'before',
    ttlMs: Math.min(ttlMs, limits.ttlMs),
    pollIntervalMs,
    maxPollIntervalMs,
  }
  if (clientTasks === 'asked') {
    // The client gets the task at once.
    const asked = requestedTtl(call.request.params?.task, terms.ttlMs, limits.ttlMs)
    return { ...terms, inlineMs: 0, asksBefore: false, mayAnswerInline: false, ttlMs: asked }
  }
  if (support === 'required') return terms
  const optional = { ...terms, withoutTaskMs: tool.timeoutMs ?? handlerTimeoutMs }
  if (clientTasks === 'declared') return optional
  const inline = Math.min(Math.max(inlineMs, HELD_INLINE_MS), holdMs(call, tasks))
  return { ...optional, inlineMs: inline, asksBefore: true }
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

/** For the model that no call can work, and for the author what is missing. */
export function notBound(report: TelemetrySink, subject: string): ProtocolError {
  const message = 'it needs tasks: add the binding MCP_OBJECTS'
  report({ type: 'definition-warning', subject, message })
  const text = `${subject} cannot run on this server, which is not set up for tasks. Do not call it again: tell the person.`
  return new ProtocolError(ErrorCode.internalError, text)
}
