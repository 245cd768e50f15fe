/** What the parts of a log share: its rows, its settings and its alarm. */

import { randomToken } from '../../../src/platform/random-token.ts'
import type { CompiledEventType } from '../../../src/ports/event-types.ts'
import type { LogName } from '../../../src/ports/events.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import { EarliestAlarm } from '../../earliest-alarm.ts'
import { Tables } from '../../tables.ts'
import type { EventLimits } from '../event-settings.ts'
import type { EventsObjectContext } from '../events-host.ts'
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

export class LogStorage {
  readonly context: EventsObjectContext
  readonly tables: Tables<LogRows>
  readonly alarm: EarliestAlarm

  constructor(context: EventsObjectContext) {
    const { state } = context
    this.context = context
    this.tables = new Tables(state.storage, MIGRATIONS, createLogRows)
    this.alarm = new EarliestAlarm(state, this.tables.existing !== undefined)
  }

  get now(): number {
    return this.context.now()
  }

  get limits(): EventLimits {
    return this.context.host.settings.limits
  }

  get isTooLarge(): boolean {
    return this.context.state.storage.sql.databaseSize > this.limits.bytesPerObject
  }

  transaction<T>(work: () => T): T {
    return this.context.state.storage.transactionSync(work)
  }

  /** Undefined while the log has no rows. */
  get existing(): OpenLog | undefined {
    const sql = this.tables.existing
    const log = sql && logRow(sql)
    return log && { sql, log }
  }

  /** Creates the log on first use. */
  open({ type, subject }: LogName): OpenLog {
    const sql = this.tables.statements
    if (logRow(sql) === undefined) {
      const sweep_at = this.#dueAt(type)
      const name = randomToken(9)
      sql.insert('log', { id: 1, name, type, subject: subject ?? null, sweep_at })
      this.alarm.wakeAt(sweep_at)
    }
    return { sql, log: logRow(sql) as LogRow }
  }

  /** Brings the sweep forward when a row was written into a log that had none. */
  expireLater({ sql, log }: OpenLog): void {
    const sweep_at = this.#dueAt(log.type)
    if (log.sweep_at <= sweep_at) return
    saveLog(sql, { sweep_at, is_quiet: 0 })
    this.alarm.wakeAt(sweep_at)
  }

  /** When a row that is written now has expired, or is one of the first that have. */
  #dueAt(type: string): number {
    const ms = Math.min(this.keepMs(type), this.limits.eventIdMs)
    return this.now + Math.max(SWEEP_MS, ms)
  }

  /** Undefined for a type that this version of the app does not have. */
  typeOf({ type }: Pick<LogRow, 'type'>): CompiledEventType | undefined {
    return this.context.host.types.get(type)
  }

  historyMs(type: string): number {
    return this.typeOf({ type })?.historyMs ?? UNKNOWN_TYPE_KEEP_MS
  }

  /** How long occurrences are kept. */
  keepMs(type: string): number {
    return Math.max(this.historyMs(type), MIN_KEEP_MS)
  }

  get report(): TelemetrySink {
    const { host, env } = this.context
    return host.deploymentOf(env).report
  }

  reportHandler(type: string, reference: string, error: unknown): void {
    this.report({ type: 'handler-error', subject: `The event type ${type}`, reference, error })
  }
}
