/** The streams of the requests `tasks/result` of a session, which carry the asks and the progress of a task. */
import type { TaskPartContext } from '../../session/task-part.ts'
import { waitsForTask } from './task-ask-statements.ts'

export interface ResultStreams {
  /** Of the requests that run now. */
  readonly running: readonly string[]
  /** Of those that wait. */
  readonly waiting: readonly string[]
}

export function resultStreamsOf(
  { runs, storage }: Pick<TaskPartContext, 'runs' | 'storage'>,
  taskId: string,
): ResultStreams {
  const running = [...runs.driver.live]
    .filter(
      ({ request: { method, params }, delivery }) =>
        method === 'tasks/result' && params?.taskId === taskId && delivery.mayStream,
    )
    .map(({ delivery }) => delivery)
  for (const delivery of running) runs.open(delivery)
  const waiting = waitsForTask(storage, taskId)
  return {
    running: running.map(({ stream }) => stream),
    waiting: waiting.map(({ stream_id }) => stream_id),
  }
}
