/**
 * `tasks/result` of 2025-11-25: waits for the end of a task and returns its result. What the task asks
 * meanwhile is asked on the stream of this request.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#result-retrieval
 */
import type { TaskSnapshot } from '../../ports/tasks.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import { isOverStatus, RELATED_TASK } from '../../protocol/tasks.ts'
import type { Call } from '../call.ts'
import type { HandlerContext } from '../handler-context.ts'
import { fingerprint } from '../journal/fingerprint.ts'
import type { Question } from '../journal/question.ts'
import { failureError, type RunOptions, runHandler } from '../run-handler.ts'
import { protocolErrorOf } from '../task-error.ts'
import type { RevisionContext } from './method.ts'
import { asksFor, findTask, taskNotFound } from './tasks.ts'

/** How long one call of the task object waits for the next state. */
const POLL_MS = 25_000

/** How long the request waits in all: it keeps its object in memory. The client may send it again. */
const RUN: RunOptions = { timeoutMs: 60 * 60 * 1000, singleUse: false }

export async function taskResult(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const { tasks, name } = await findTask(call)
  const taskId = String(call.request.params?.taskId)
  try {
    const ended = await runHandler(call, codec, RUN, async (ctx) => {
      let version = -1
      for (;;) {
        const snapshot = await tasks.wait(name, version, POLL_MS)
        if (snapshot === undefined) throw taskNotFound()
        if (isOverStatus(snapshot.status)) return snapshot
        const { inputRequests } = snapshot
        if (inputRequests !== undefined && call.run.canAsk) {
          const asks = Object.entries(asksFor(inputRequests, codec))
          const responses = await Promise.all(
            asks.map(async ([key, ask]) => [key, await forward(ctx, taskId, key, ask)] as const),
          )
          await tasks.update(name, Object.fromEntries(responses))
        }
        version = snapshot.version
      }
    })
    return resultOf(ended, codec, taskId)
  } catch (error) {
    throw failureError(call, definition, 'The result of the task', error)
  }
}

/** Sends an ask of the task to the client, and returns the client's response. The task reads it. */
function forward(
  ctx: HandlerContext,
  taskId: string,
  key: string,
  { method, params }: JsonObject,
): Promise<JsonObject> {
  const asked = isJsonObject(params) ? params : {}
  const meta = isJsonObject(asked._meta) ? asked._meta : {}
  const question: Question<JsonObject> = {
    kind: 'task',
    method: String(method),
    params: { ...asked, _meta: { ...meta, [RELATED_TASK]: { taskId } } },
    requires: {},
    // The task has asked only what its client declared.
    canAnswer: () => true,
    read: async (answer) =>
      isJsonObject(answer)
        ? { value: answer, kept: answer }
        : { misfit: 'the result must be an object' },
  }
  return ctx.ask(`task-${fingerprint(key)}`, question)
}

/** @throws {ProtocolError} that of the task */
function resultOf({ status, result, error }: TaskSnapshot, codec: Codec, taskId: string): string {
  if (error !== undefined) throw protocolErrorOf(error)
  if (result === undefined) throw invalidParams(`The task has no result: its status is ${status}`)
  // A task that was created in the modern era has members that this revision does not have.
  const { resultType: _, _meta, ...rest } = result
  const meta = isJsonObject(_meta) ? _meta : {}
  const whole = { ...rest, _meta: { ...meta, [RELATED_TASK]: { taskId } } }
  // The task object kept the result of a tool, which its call had checked.
  return codec.resultText(codec.callToolResult(whole as unknown as CallToolResult))
}
