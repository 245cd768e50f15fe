/** What telemetry learns of a task: its status when it changes. */
import { hashKey } from '../../src/platform/fnv.ts'
import type { TaskEvent } from '../../src/ports/request-event.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { TaskStatus } from '../../src/protocol/tasks.ts'
import { isOver } from '../run/decide-run.ts'
import type { RunEvent } from '../run/run-state.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskStorage } from './task-storage.ts'

interface RecordedTask {
  readonly storage: TaskStorage
}

export function taskEvent({ storage }: RecordedTask, run: TaskRun, event: RunEvent): TaskEvent {
  const createdAt = storage.existing?.task()?.created_at
  return {
    type: 'task',
    status: statusOf(run, event),
    isWaiting: run.state.name === 'waiting',
    name: toolOf(run),
    task: hashKey(run.request.name),
    ageMs: createdAt === undefined ? 0 : Math.max(0, Date.now() - createdAt),
  }
}

function statusOf({ state }: TaskRun, event: RunEvent): TaskStatus {
  if (state.name === 'cancelled') return 'cancelled'
  if (event.type === 'ask' && Object.keys(event.suspension.requests).length > 0) {
    return 'input_required'
  }
  if (!isOver(state)) return 'working'
  return event.type === 'settle' && !(event.answer instanceof ProtocolError)
    ? 'completed'
    : 'failed'
}

function toolOf({ definition, request }: TaskRun): string | undefined {
  if (definition === undefined || definition instanceof ProtocolError) return undefined
  return definition.nameOf(request.method, request.params)
}
