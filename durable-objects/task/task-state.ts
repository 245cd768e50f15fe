/** The state of a task as its clients see it: a snapshot of its rows. */
import type { TaskSnapshot } from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { TaskDetail, TaskStatus } from '../../src/protocol/tasks.ts'
import type { TaskRow, WaitRow } from './schema.ts'
import type { TaskStorage } from './task-storage.ts'

/** Reads the present state from the rows; undefined without a task. */
export function readSnapshot(storage: TaskStorage): TaskSnapshot | undefined {
  const row = storage.existing?.task()
  if (row === undefined) return undefined
  const status = statusOf(row, storage.statements.waits())
  const { taskId } = storage.readRequest()
  return {
    taskId,
    status,
    statusMessage: row.status_message ?? undefined,
    createdAt: row.created_at,
    lastUpdatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
    pollIntervalMs: row.poll_interval_ms,
    version: row.version,
    ...detailOf(storage, row, status),
  }
}

function statusOf({ state }: TaskRow, waits: readonly WaitRow[]): TaskStatus {
  if (state === 'completed' || state === 'failed' || state === 'cancelled') return state
  const isAsking = state === 'waiting' && waits.some(({ kind }) => kind === 'ask')
  return isAsking ? 'input_required' : 'working'
}

function detailOf(
  storage: TaskStorage,
  row: TaskRow,
  status: TaskStatus,
): Pick<TaskSnapshot, keyof TaskDetail> {
  if (status === 'input_required') {
    const asks = storage.statements
      .waits()
      .flatMap(({ wire_key, detail }) =>
        wire_key === null || detail === null
          ? []
          : [[wire_key, JSON.parse(detail) as JsonObject] as const],
      )
    return { inputRequests: Object.fromEntries(asks) }
  }
  if (status === 'completed') return { result: storage.readResult(row) }
  if (status === 'failed') return { error: storage.readError(row) }
  return {}
}
