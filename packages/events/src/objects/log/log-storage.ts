/** What the parts of a log share: its rows, its settings and its alarm. */

import { randomToken } from '../../../../../src/platform/random-token.ts'
import type { TelemetrySink } from '../../../../../src/ports/telemetry.ts'
import type { CompiledEventType } from '../../compiled-event-type.ts'
import type { EventLimits } from '../event-settings.ts'
import { createEventStorage, type EventStorage } from '../event-storage.ts'
import type { EventsObjectContext } from '../events-host.ts'
import type { LogName } from '../port.ts'
import { type LogRow, MIGRATIONS } from './schema.ts'
import { createLogRows, type LogRows, logRow, saveLog } from './statements.ts'

/** Expired rows are deleted in batches, by at most one sweep in this time. */
export const SWEEP_MS = 10 * 60_000

/** Occurrences are kept at least so long, for streams that reconnect. */
export const MIN_KEEP_MS = 60_000

/** How long occurrences of a type are kept that this version of the app does not have. */
const UNKNOWN_TYPE_KEEP_MS = 24 * 60 * 60_000

export interface OpenLog {
  readonly sql: LogRows
  readonly log: LogRow
}

export interface LogStorage extends EventStorage<LogRows> {
  readonly context: EventsObjectContext
  readonly limits: EventLimits
  readonly report: TelemetrySink
  readonly now: number
}

/** Call it in the constructor of the object: its alarm is read from storage. */
export function createLogStorage(context: EventsObjectContext): LogStorage {
  const { state, host, env } = context
  return {
    ...createEventStorage(state, MIGRATIONS, createLogRows),
    context,
    limits: host.settings.limits,
    report: host.deploymentOf(env).report,
    get now() {
      return context.now()
    },
  }
}

/** Undefined while the log has no rows. */
export function existingLog({ tables }: LogStorage): OpenLog | undefined {
  const sql = tables.existing
  const log = sql && logRow(sql)
  return log && { sql, log }
}

/** Creates the log on first use. */
export function openLog(storage: LogStorage, { type, subject }: LogName): OpenLog {
  const sql = storage.tables.statements
  if (logRow(sql) === undefined) {
    const sweep_at = dueAt(storage, type)
    const name = randomToken(9)
    sql.insert('log', { id: 1, name, type, subject: subject ?? null, sweep_at })
    storage.alarm.wakeAt(sweep_at)
  }
  return { sql, log: logRow(sql) as LogRow }
}

/** Brings the sweep forward when a row was written into a log that had none. */
export function expireLater(storage: LogStorage, { sql, log }: OpenLog): void {
  const sweep_at = dueAt(storage, log.type)
  if (log.sweep_at <= sweep_at) return
  saveLog(sql, { sweep_at, is_quiet: 0 })
  storage.alarm.wakeAt(sweep_at)
}

/** When a row that is written now has expired, or is one of the first that have. */
function dueAt(storage: LogStorage, type: string): number {
  const ms = Math.min(keepMs(storage, type), storage.limits.eventIdMs)
  return storage.now + Math.max(SWEEP_MS, ms)
}

/** Undefined for a type that this version of the app does not have. */
export function typeOf(
  { context }: LogStorage,
  { type }: Pick<LogRow, 'type'>,
): CompiledEventType | undefined {
  return context.host.types.get(type)
}

export function historyMs(storage: LogStorage, type: string): number {
  return typeOf(storage, { type })?.historyMs ?? UNKNOWN_TYPE_KEEP_MS
}

/** How long occurrences are kept. */
export function keepMs(storage: LogStorage, type: string): number {
  return Math.max(historyMs(storage, type), MIN_KEEP_MS)
}

export function reportHandler(
  { report }: LogStorage,
  type: string,
  reference: string,
  error: unknown,
): void {
  report({ type: 'handler-error', subject: `The event type ${type}`, reference, error })
}
