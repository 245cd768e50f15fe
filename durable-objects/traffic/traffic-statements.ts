/** The statements of the inspector on the entries of a log object. */
import type { EntryRow } from '../log/schema.ts'
import type { createRows } from '../sql-rows.ts'

export type TrafficStatements = ReturnType<typeof createTrafficStatements>

export function createTrafficStatements({ all, first, run }: ReturnType<typeof createRows>) {
  return {
    last: () => first<{ last: number | null }>('SELECT max(number) AS last FROM entries')?.last,
    after: (number: number, limit: number) =>
      all<EntryRow>(
        'SELECT * FROM entries WHERE number > ? ORDER BY number LIMIT ?',
        number,
        limit,
      ),
    oldest: (limit: number) =>
      all<{ number: number; length: number }>(
        'SELECT number, length(entry) AS length FROM entries ORDER BY number LIMIT ?',
        limit,
      ),
    deleteUntil: (number: number) => run('DELETE FROM entries WHERE number <= ?', number),
  }
}
