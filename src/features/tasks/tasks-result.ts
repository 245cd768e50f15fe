/**
 * `tasks/result` of 2025-11-25: waits for the end of a task and returns its result. In a session nothing
 * stays in memory meanwhile, and `durable-objects/task/in-session/task-asks.ts` sends what the task asks on
 * the stream of this request.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#result-retrieval
 */

import type { Call } from '../../dispatch/call.ts'
import type { CallSession } from '../../dispatch/call-session.ts'
import { runOf } from '../../dispatch/handler-context.ts'
import type { HandlerRun, RunOptions } from '../../dispatch/handler-run.ts'
import type { RevisionContext } from '../../dispatch/methods/method.ts'
import { failureError, runHandler } from '../../dispatch/run-handler.ts'
import type { TaskSnapshot, Tasks } from '../../ports/tasks.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import { isOverStatus, RELATED_TASK } from '../../protocol/tasks.ts'
import { roundOf } from '../asks/run-round.ts'
import { findTask, readable, taskNotFound } from './methods.ts'
import { storedResult } from './stored-result.ts'
import { protocolErrorOf } from './task-error.ts'

/** How long one call of the task object waits for the next state. */
const POLL_MS = 25_000

/** How long a request without a session waits in all: it stays in memory. The client may send it again. */
const RUN: RunOptions = { timeoutMs: 60 * 60 * 1000, singleUse: false, files: false }

/** How much later than the end of its task a request looks for it. */
const END_MARGIN_MS = 1000

export async function taskResult(context: RevisionContext, call: Call): Promise<string> {
  const { definition, codec } = context
  const { tasks, name } = await findTask(context, call)
  const taskId = String(call.request.params?.taskId)
  const { session, canWait } = call.run
  try {
    const ended = await runHandler(call, codec, RUN, (ctx) =>
      session !== undefined && canWait
        ? untilReported(runOf(ctx), session, name)
        : poll(tasks, name),
    )
    return resultOf(readable(definition, call, ended), codec, taskId)
  } catch (error) {
    throw failureError(call, definition, 'The result of the task', error)
  }
}

async function untilReported(
  run: HandlerRun | undefined,
  session: CallSession,
  name: string,
): Promise<TaskSnapshot> {
  for (let round = 1; ; round++) {
    const state = await session.followTask(name)
    if (state === undefined) throw taskNotFound()
    const { taskId, status, createdAt, ttlMs } = state
    if (isOverStatus(status)) return state
    const until = createdAt + ttlMs + END_MARGIN_MS
    if (run === undefined) throw new TypeError('tasks/result needs its run')
    await roundOf(run).taskEnd(`end-${round}`, { kind: 'task', taskId, until })
  }
}

async function poll(tasks: Tasks, name: string): Promise<TaskSnapshot> {
  for (let version = -1; ; ) {
    const state = await tasks.wait(name, version, POLL_MS)
    if (state === undefined) throw taskNotFound()
    if (isOverStatus(state.status)) return state
    version = state.version
  }
}

/** @throws {ProtocolError} that of the task */
function resultOf({ status, result, error }: TaskSnapshot, codec: Codec, taskId: string): string {
  if (error !== undefined) throw protocolErrorOf(error)
  if (result === undefined) throw invalidParams(`The task has no result: its status is ${status}`)
  const { _meta, ...rest } = storedResult(result, codec)
  const meta = isJsonObject(_meta) ? _meta : {}
  const whole = { ...rest, _meta: { ...meta, [RELATED_TASK]: { taskId } } }
  // The task object kept the result of a tool, which its call had checked.
  return codec.resultText(codec.callToolResult(whole as unknown as CallToolResult))
}
