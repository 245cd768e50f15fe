/** What telemetry learns of a task: its status when it changes, and the spans of its handler. */
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { Recording } from '../../src/dispatch/recording.ts'
import { hashKey } from '../../src/platform/hash-key.ts'
import type { TaskEvent } from '../../src/ports/request-event.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { TaskStatus } from '../../src/protocol/tasks.ts'
import { createSpanContext } from '../../src/protocol/trace-context.ts'
import { isOver } from '../run/decide-run.ts'
import type { RunEvent } from '../run/run-state.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskStorage } from './task-storage.ts'

interface RecordedTask {
  readonly storage: TaskStorage
  readonly deployment: DefinedDeployment
  readonly waitUntil: (promise: Promise<unknown>) => void
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

/** Records the spans of one stay in memory; undefined when no sink receives spans. */
export function createTaskRecording(
  { deployment, waitUntil }: RecordedTask,
  run: TaskRun,
): Recording | undefined {
  const { recorder } = deployment
  if (recorder?.recordsSpans !== true) return undefined
  const { method, params } = run.request
  const recording = new Recording(
    recorder,
    {
      startedAt: Date.now(),
      httpMethod: 'POST',
      connection: { network: undefined, client: undefined, session: undefined },
      bytesIn: undefined,
      trace: createSpanContext(undefined),
    },
    waitUntil,
  )
  recording.read({ method })
  // A task that was called with a trace continues it.
  recording.readTrace({ params })
  return recording
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
