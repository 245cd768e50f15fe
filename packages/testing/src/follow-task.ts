/** Follows calls that became tasks, as the clients with tasks do: reads the state, answers its asks, fetches the result. */

import { delay } from '../../../src/platform/deadline.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { isOverStatus, type TaskStatus } from '../../../src/protocol/tasks.ts'
import { McpError } from '../../client/src/mcp-error.ts'

type Params = Readonly<Record<string, unknown>>

export type Request = (method: string, params: Params) => Promise<Params>
export type OnState = (state: Params) => void

/**
 * Follows a task of the extension until it has ended.
 *
 * @param answer returns the answers to the asks of a state, by their keys
 * @param onState receives each state of the task, the first one included
 * @throws {McpError} with the error of the task, and for one that was cancelled
 */
export async function followTask(
  created: Params,
  request: Request,
  answer: (asks: Params) => Promise<Params>,
  onState: OnState,
  signal: AbortSignal | undefined,
): Promise<Params> {
  const { taskId } = created
  let state = created
  for (;;) {
    onState(state)
    if (signal?.aborted === true) {
      await request('tasks/cancel', { taskId })
      throw signal.reason
    }
    const { status, inputRequests, result, error } = state
    if (isOverStatus(status as TaskStatus)) {
      if (isJsonObject(result)) return result
      const { code, message, data } = isJsonObject(error) ? error : {}
      throw new McpError(String(message ?? `The task is ${status}`), {
        code: typeof code === 'number' ? code : undefined,
        data,
        status: 200,
      })
    }
    if (isJsonObject(inputRequests)) {
      await request('tasks/update', { taskId, inputResponses: await answer(inputRequests) })
    } else await delay(intervalOf(state.pollIntervalMs))
    state = await request('tasks/get', { taskId })
  }
}

/** Waits for the end of a task of 2025-11-25, and returns its result. What it asks comes as requests. */
export async function resultOfTask(
  created: Params,
  request: Request,
  onState: OnState,
): Promise<Params> {
  let task = created
  onState(task)
  const { taskId } = created
  while (task.status === 'working') {
    await delay(intervalOf(task.pollInterval))
    task = await request('tasks/get', { taskId })
    onState(task)
  }
  return request('tasks/result', { taskId })
}

/** A server may leave the interval out. */
const DEFAULT_INTERVAL_MS = 1000

const intervalOf = (value: unknown): number =>
  typeof value === 'number' ? value : DEFAULT_INTERVAL_MS
