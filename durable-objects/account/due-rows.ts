/** The statements that all tables of an account and its shards need: each has a column `due_at`, from which on a row may be deleted. */
import { createRows, type Rows } from '../sql-rows.ts'

export interface DueStatements {
  /** When the next row expires; undefined when there is none. */
  nextDue(): number | undefined
  deleteDue(now: number): void
}

export function dueStatements(sql: SqlStorage, tables: readonly string[]): DueStatements {
  const { first, run } = createRows(sql)
  return {
    nextDue: () => {
      // A compound SELECT has at most five terms on this platform.
      const each = tables.map((table) => `(SELECT min(due_at) FROM ${table}) AS ${table}`)
      const row = first<Record<string, number | null>>(`SELECT ${each.join(', ')}`)
      const times = Object.values(row ?? {}).filter((at) => at !== null)
      return times.length === 0 ? undefined : Math.min(...times)
    },
    deleteDue: (now) => {
      for (const table of tables) run(`DELETE FROM ${table} WHERE due_at <= ?`, now)
    },
  }
}

/** Deletes all but the newest rows. */
export function trimToNewest(run: Rows['run'], table: string, most: number): void {
  run(
    `DELETE FROM ${table} WHERE rowid IN (
       SELECT rowid FROM ${table} ORDER BY due_at DESC, rowid DESC LIMIT -1 OFFSET ?
     )`,
    most,
  )
}
