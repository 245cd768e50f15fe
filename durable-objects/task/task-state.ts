/** The state of a task as its clients see it: a snapshot of its rows. */
import type { TaskAccess, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WaitRow } from '../run/run-statements.ts'
import { pollIntervalOf } from './poll-interval.ts'
import { isFinalState, TASK_RUN, type TaskRow } from './schema.ts'
import type { TaskStorage } from './task-storage.ts'

/** Reads the present state from the rows; undefined without a task. */
export function readSnapshot(storage: TaskStorage): TaskSnapshot | undefined {
  const row = storage.existing?.task()
  if (row === undefined) return undefined
  // A handler that has not waited yet has no rows to read.
  const hasWaited = row.rounds > 0 && !isFinalState(row.state)
  const waits = hasWaited ? storage.statements.waitsOf(TASK_RUN) : []
  const asks = openAsks(waits)
  const isWaiting = row.state === 'waiting'
  const isAsking = isWaiting && asks.length > 0
  return {
    taskId: row.task_id,
    status: isFinalState(row.state) ? row.state : isAsking ? 'input_required' : 'working',
    statusMessage: row.status_message ?? undefined,
    createdAt: row.created_at,
    lastUpdatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
    pollIntervalMs: pollIntervalOf(row, waits, Date.now()),
    version: row.version,
    access: accessOf(row),
    ...(isAsking && { inputRequests: Object.fromEntries(asks) }),
    ...(!isWaiting && asks.length > 0 && { openAsks: asks.map(([key]) => key) }),
    ...(row.state === 'completed' && { result: storage.readOutcome(row.outcome) }),
    ...(row.state === 'failed' && { error: storage.readOutcome(row.outcome) }),
  }
}

export const accessOf = ({ access }: TaskRow): TaskAccess => JSON.parse(access)

/** The requests of the open asks, by their keys on the wire. */
function openAsks(waits: readonly WaitRow[]): (readonly [string, JsonObject])[] {
  return waits.flatMap(({ wire_key, detail }) =>
    wire_key === null || detail === null
      ? []
      : [[wire_key, JSON.parse(detail) as JsonObject] as const],
  )
}
