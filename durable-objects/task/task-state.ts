/** The state of a task as its clients see it: a snapshot of its rows. */
import type { TaskAccess, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { TaskDetail } from '../../src/protocol/tasks.ts'
import type { WaitRow } from '../run/run-statements.ts'
import { pollIntervalOf } from './poll-interval.ts'
import { isFinalState, TASK_RUN, type TaskRow } from './schema.ts'
import type { TaskStorage } from './task-storage.ts'

/** The key of the entry with the time since which the result is returned. No author can use it: it contains a colon. */
export const RETURNED = 'call:returned'

/**
 * Reads the present state from the rows; undefined without a task.
 *
 * @param isBrief for a list of many: without result and error, and with the time at which the result was returned
 */
export function readSnapshot(storage: TaskStorage, isBrief = false): TaskSnapshot | undefined {
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
    ...(isBrief ? returnOf(storage, row) : outcomeOf(storage, row)),
  }
}

function outcomeOf(storage: TaskStorage, { state, outcome }: TaskRow): TaskDetail {
  if (state === 'completed') return { result: storage.readOutcome(outcome) }
  return state === 'failed' ? { error: storage.readOutcome(outcome) } : {}
}

function returnOf({ existing }: TaskStorage, { state }: TaskRow): { returnedAt?: number } {
  const returned = isFinalState(state) ? existing?.entry(TASK_RUN, RETURNED) : undefined
  return returned === undefined ? {} : { returnedAt: Number(returned.value) }
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
