/**
 * How long a client should wait before it asks for the state of a task again. It changes with what the task
 * does: short while a handler runs, longer and longer while it waits, and until the end of a sleep.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-polling
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-polling
 */
import type { WaitRow } from '../run/run-statements.ts'
import type { TaskRow } from './schema.ts'

/** The part of the time that a task has waited, or of its age, by which the client may learn of a change late. */
const PART_OF_WAIT = 1 / 4

/** The longest time of a timer in JavaScript, with which clients wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

type PolledTask = Pick<
  TaskRow,
  'state' | 'poll_interval_ms' | 'max_poll_interval_ms' | 'created_at' | 'updated_at' | 'ttl_ms'
>

/**
 * @param now epoch milliseconds
 * @returns milliseconds
 */
export function pollIntervalOf(
  task: PolledTask,
  waits: readonly Pick<WaitRow, 'kind' | 'until'>[],
  now: number,
): number {
  const { state, poll_interval_ms: least, created_at, ttl_ms } = task
  if (state !== 'waiting' || waits.length === 0) return least
  const ends = waits.flatMap(({ until }) => until ?? [])
  const nextEnd = Math.min(...ends, created_at + ttl_ms) - now
  const isAsleep = waits.every(({ kind }) => kind === 'sleep')
  const interval = isAsleep ? nextEnd : Math.min(nextEnd, whileWaiting(task, waits, now))
  return Math.round(Math.min(Math.max(interval, least), MAX_TIMER_MS))
}

/** What ends a wait besides a time may come at any moment. */
function whileWaiting(
  { max_poll_interval_ms: most, created_at, updated_at }: PolledTask,
  waits: readonly Pick<WaitRow, 'kind'>[],
  now: number,
): number {
  // A person answers at the client, which asks for the result then. Of an event no client knows.
  const isAsking = waits.some(({ kind }) => kind === 'ask')
  return Math.min((now - (isAsking ? updated_at : created_at)) * PART_OF_WAIT, most)
}
