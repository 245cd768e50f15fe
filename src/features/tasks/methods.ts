/**
 * `tasks/get`, `tasks/update`, `tasks/cancel` and `tasks/list`.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */

import { mayAccessTask } from '../../dispatch/access.ts'
import type { Call } from '../../dispatch/call.ts'
import type { RevisionContext } from '../../dispatch/methods/method.ts'
import { hashKey } from '../../platform/fnv.ts'
import type { TaskSnapshot, Tasks } from '../../ports/tasks.ts'
import { askParams } from '../../protocol/codec/ask-params.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { taskBody as bodyOf } from '../../protocol/codec/task-body.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { principalDigest } from '../../protocol/principal.ts'
import { invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import { declaresTasks, type TaskDetail } from '../../protocol/tasks.ts'
import type { Definition } from '../../server/definition.ts'
import { toTask } from './start-task.ts'
import { jsonRpcErrorOf } from './task-error.ts'
import { findTaskName, taskPrincipal } from './task-ids.ts'
import { tasksNeeded } from './task-only.ts'
import { positionOf, readTaskPage } from './task-page.ts'

/** A task that the caller may access. */
interface FoundTask {
  readonly tasks: Tasks
  readonly name: string
  readonly snapshot: TaskSnapshot
}

/**
 * Finds the task that a request names, and reads its state. The error for a task that does not exist is
 * also that for a task of another principal, and of a tool that the caller may not call.
 *
 * @throws {ProtocolError} for a client without tasks, and for an unknown id
 */
export async function findTask({ definition }: RevisionContext, call: Call): Promise<FoundTask> {
  const { request, client, deployment, services } = call
  const tasks = tasksOf(call)
  if (client.era === 'modern' && !declaresTasks(client.capabilities)) {
    throw tasksNeeded(`${request.method} needs`, definition)
  }
  const taskId = request.params?.taskId
  if (typeof taskId !== 'string') throw invalidParams('params.taskId must be a string')
  const sealer = services.sealer()
  const { cancellation } = call.run
  const find = async () => {
    const principal = await taskPrincipal(request.auth)
    return sealer && findTaskName(sealer, deployment.audience, principal, taskId)
  }
  const name = await cancellation.waitFor(find())
  const snapshot = name === undefined ? undefined : await tasks.read(name)
  if (name === undefined || snapshot === undefined) throw taskNotFound()
  return { tasks, name, snapshot: readable(definition, call, snapshot) }
}

/**
 * Returns a state of a task that the caller may read. Each state is checked: the task may call a tool that the caller may
 * not call after an earlier one.
 *
 * @throws {ProtocolError} as for a task that does not exist
 */
export function readable(definition: Definition, { request }: Call, state: TaskSnapshot) {
  if (mayAccessTask(definition, state, request.auth)) return state
  throw taskNotFound()
}

function tasksOf({ request, services }: Call): Tasks {
  const tasks = services.tasks()
  if (tasks !== undefined) return tasks
  throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${request.method}`)
}

export function taskNotFound(): ProtocolError {
  return invalidParams('Task not found: it does not exist, or it has expired')
}

export async function getTask(context: RevisionContext, call: Call): Promise<string> {
  const { codec } = context
  const { snapshot } = await findTask(context, call)
  return codec.resultText(taskBody(snapshot, codec))
}

/** The state of a task as the body of a result or a notification. */
export function taskBody(snapshot: TaskSnapshot, codec: Codec): object {
  return bodyOf(codec.revision.era, toTask(snapshot), detailFor(snapshot, codec))
}

/** The details as the revision of the reader spells them. The task may have been created in another one. */
function detailFor(
  { taskId, result, error, inputRequests }: TaskSnapshot,
  codec: Codec,
): TaskDetail {
  if (error !== undefined) {
    const code = codec.errorCode(error.code as ErrorCode)
    return { error: { ...jsonRpcErrorOf(error), code } }
  }
  if (inputRequests !== undefined) return { inputRequests: asksFor(taskId, inputRequests, codec) }
  return result === undefined ? {} : { result }
}

/** The open asks by key, each as the revision of the reader spells it. */
function asksFor(
  taskId: string,
  inputRequests: Readonly<Record<string, JsonObject>>,
  codec: Codec,
): Readonly<Record<string, JsonObject>> {
  // The same each time that the state is read, and another one in each task, whose id is secret.
  const idOf = (key: string) => `${key}-${hashKey(taskId)}`
  const asks = Object.entries(inputRequests).map(([key, { method, params }]) => {
    const own = isJsonObject(params) ? params : {}
    const asked = askParams(codec.revision, String(method), own, idOf(key))
    return [key, { method, params: asked }] as const
  })
  return Object.fromEntries(asks)
}

export async function updateTask(context: RevisionContext, call: Call): Promise<string> {
  const { tasks, name } = await findTask(context, call)
  const responses = call.request.params?.inputResponses
  if (!isJsonObject(responses)) throw invalidParams('params.inputResponses must be an object')
  if (!(await tasks.update(name, responses))) throw taskNotFound()
  return context.codec.resultText({})
}

/** The modern era acknowledges every cancellation. 2025-11-25 refuses that of a task that is over. */
export async function cancelTask(context: RevisionContext, call: Call): Promise<string> {
  const { codec, definition } = context
  const { tasks, name } = await findTask(context, call)
  const cancelled = await tasks.cancel(name)
  if (cancelled === undefined) throw taskNotFound()
  readable(definition, call, cancelled)
  if (codec.revision.era === 'modern') return codec.resultText({})
  const { wasOver, ...state } = cancelled
  // The object decides: of two requests at the same time, one has cancelled the task.
  if (wasOver || state.status !== 'cancelled') {
    throw invalidParams(`The task is over already: its status is ${state.status}`)
  }
  return codec.resultText(taskBody(state, codec))
}

/**
 * Lists the tasks of the principal whose tools the caller may call, newest first. Anonymous callers have none
 * to list.
 */
export async function listTasks(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const tasks = tasksOf(call)
  const { auth, params, method } = call.request
  if (auth === undefined) {
    throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${method}`)
  }
  const after = positionOf(params)
  const { cancellation } = call.run
  const principal = await cancellation.waitFor(principalDigest(auth))
  const mayAccess = (task: TaskSnapshot) => mayAccessTask(definition, task, auth)
  const query = { subject: auth.subject, principal, after, isBrief: true, mayAccess }
  const { snapshots, nextCursor } = await readTaskPage(tasks, query)
  return codec.resultText({
    tasks: snapshots.map((snapshot) => taskBody(snapshot, codec)),
    ...(nextCursor === undefined ? undefined : { nextCursor }),
  })
}
