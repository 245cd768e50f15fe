/**
 * A call that became a task: the server continues it without a request, so the page asks for its state until
 * it is over, and answers what it asks.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { isOverStatus, type Task } from '../../../../src/protocol/tasks.ts'
import { type Params, sendRequest } from '../client/endpoint.ts'
import { playedClient } from '../client/played-client.ts'
import { type Ask, asksOf } from './ask.ts'
import type { FollowedTask, RunReport } from './run-report.ts'

/** Bounds of the interval that the server proposes. */
const MIN_POLL_MS = 200
const MAX_POLL_MS = 10_000

/** The task as a result contains it; undefined for any other result. */
export function taskOf(result: Params): FollowedTask | undefined {
  const { resultType, task } = result
  if (resultType === 'task') return readTask(result)
  // As a client of 2025-11-25 has asked for it.
  return task === undefined ? undefined : readTask(task as Params)
}

/** The server is that of the page, and its results are those of the protocol: of the extension, or of 2025-11-25. */
function readTask({ ttl, pollInterval, ...task }: Params): FollowedTask {
  return { ttlMs: ttl, pollIntervalMs: pollInterval, ...task } as unknown as FollowedTask
}

/**
 * Follows a task, and returns it when it is over.
 *
 * @param signal ends the following, and not the task
 */
export async function followTask(
  created: FollowedTask,
  endpoint: string,
  signal: AbortSignal,
  report: Pick<RunReport, 'continues' | 'ask'>,
): Promise<FollowedTask> {
  const { taskId } = created
  if (playedClient().tasks === 'params') return resultOfTask(created, endpoint, signal, report)
  // A server may show an ask for some time after its answer, and no key is used twice.
  const answered = new Set<string>()
  let task = created
  while (!isOverStatus(task.status)) {
    report.continues(task)
    const asks = asksOf(task).filter(({ key }) => !answered.has(key))
    if (asks.length > 0) {
      const inputResponses = await report.ask(asks, signal)
      await sendRequest(endpoint, 'tasks/update', { taskId, inputResponses }, { signal })
      for (const { key } of asks) answered.add(key)
    } else {
      await pause(task.pollIntervalMs, signal)
    }
    task = await getTask(endpoint, taskId, signal)
  }
  return task
}

/** Waits for a task of 2025-11-25. What it asks comes before the response to `tasks/result`. */
async function resultOfTask(
  created: FollowedTask,
  endpoint: string,
  signal: AbortSignal,
  report: Pick<RunReport, 'continues' | 'ask'>,
): Promise<FollowedTask> {
  const { taskId } = created
  let task = created
  while (task.status === 'working') {
    report.continues(task)
    await pause(task.pollIntervalMs, signal)
    task = await getTask(endpoint, taskId, signal)
  }
  report.continues(task)
  const onAsks = (asks: readonly Ask[]) => report.ask(asks, signal)
  const result = await sendRequest(endpoint, 'tasks/result', { taskId }, { signal, onAsks })
  const ended = await getTask(endpoint, taskId, signal)
  return { ...ended, status: 'completed', result: result as JsonObject }
}

/** Cancels a task, and returns what it is then: one that was over before remains as it is. */
export async function cancelTask(endpoint: string, { taskId }: Task): Promise<FollowedTask> {
  await sendRequest(endpoint, 'tasks/cancel', { taskId })
  return getTask(endpoint, taskId)
}

async function getTask(
  endpoint: string,
  taskId: string,
  signal?: AbortSignal,
): Promise<FollowedTask> {
  return readTask(await sendRequest(endpoint, 'tasks/get', { taskId }, { signal }))
}

function pause(proposedMs: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, proposedMs))
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const resume = () => {
      signal.removeEventListener('abort', abort)
      resolve()
    }
    const timer = setTimeout(resume, Number.isFinite(ms) ? ms : MAX_POLL_MS)
    signal.addEventListener('abort', abort, { once: true })
  })
}
