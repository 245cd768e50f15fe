/** The body of a task's state in a revision. Codecs do not contain it: an app without tasks has no use for it. */
import type { Era } from '../revisions.ts'
import { errorTextOf, type Task, type TaskDetail } from '../tasks.ts'

/** Revision 2025-11-25 has no details in it. */
export function taskBody(era: Era, task: Task, detail: TaskDetail): object {
  if (era === 'modern') return { ...task, ...detail }
  const { result } = detail
  // In this revision a tool that reports an error has failed.
  if (task.status !== 'completed' || result?.isError !== true) return earlierTask(task)
  const statusMessage = errorTextOf(result)
  const said = statusMessage === undefined ? undefined : { statusMessage }
  return earlierTask({ ...task, status: 'failed', ...said })
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#task */
export function earlierTask({ ttlMs: ttl, pollIntervalMs: pollInterval, ...task }: Task): object {
  return { ...task, ttl, pollInterval }
}
