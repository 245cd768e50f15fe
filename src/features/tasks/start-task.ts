/** Starts a call that may become a task in its object, and converts how it began to an outcome. */

import type { Call, CallRun, ResultText } from '../../dispatch/call.ts'
import { Journal, type JournalState, parseJournalState } from '../../dispatch/journal/journal.ts'
import { Suspension } from '../../dispatch/journal/suspension.ts'
import { RunError } from '../../dispatch/run-error.ts'
import { journalOf } from '../../dispatch/run-handler.ts'
import { clientNetwork } from '../../platform/client-network.ts'
import { randomToken } from '../../platform/random-token.ts'
import type {
  NewTask,
  TaskBeginning,
  TaskRequest,
  TaskSnapshot,
  Tasks,
  TaskTerms,
} from '../../ports/tasks.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { linesWithoutCredentials } from '../../protocol/credential-headers.ts'
import type { ProtocolError } from '../../protocol/protocol-error.ts'
import { type Task, tooManyTasks } from '../../protocol/tasks.ts'
import type { ToolDefinition } from '../../server/definition.ts'
import { notBound } from './decide-call.ts'
import { protocolErrorOf } from './task-error.ts'
import { sealTaskId, taskPrincipal } from './task-ids.ts'

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

/** @throws {RunError} for a call whose client has left meanwhile */
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

/** Starts a call in its task object, and returns how it began. @throws {RunError} */
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
    access: { tool: tool.info.name, scopes: tool.scopes, ...(held && { isHeld: true as const }) },
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

/** Seals the id of a task of the caller. @throws {ProtocolError} without the keyring */
export async function taskIdOf(
  { request, deployment, services }: Call,
  name: string,
): Promise<string> {
  const sealer = services.sealer()
  if (sealer === undefined) throw notBound(deployment.report, 'The task')
  return sealTaskId(sealer, deployment.audience, name, await taskPrincipal(request.auth))
}

/**
 * Cancels the call in its object when it is cancelled before it has begun: the client has no id of a task yet.
 *
 * @throws {RunError} for a call that is cancelled before it reaches its object
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
  if (reason !== undefined) throw new RunError('cancelled', reason)
}

export function resultOf(
  beginning: Exclude<TaskBeginning, { kind: 'full' }>,
  codec: Codec,
): ResultText {
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
