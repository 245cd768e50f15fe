/** Tables that an object may lack: the first row creates one, and before that there is nothing to read or to change. */
import { type Rows, rowsOver } from './sql-rows.ts'

/**
 * @param rows of all tables
 * @param columns by table, in parentheses, and what follows them
 * @param isNew whether the object has none of the tables yet
 * @returns the rows of one of the tables
 */
export function createOptionalRows<Table extends string>(
  sql: SqlStorage,
  rows: Rows,
  columns: Readonly<Record<Table, string>>,
  isNew: boolean,
): (table: Table) => Rows {
  /** Read on first use. */
  let names: Set<string> | undefined = isNew ? new Set() : undefined
  const has = (table: Table): boolean => {
    names ??= new Set(
      rows
        .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .map(({ name }) => name),
    )
    return names.has(table)
  }
  return (table) => ({
    ...rowsOver(
      (...query) => (has(table) ? rows.all(...query) : []),
      (...query) => has(table) && rows.run(...query),
    ),
    insert: (...row) => {
      if (!has(table)) {
        sql.exec(`CREATE TABLE ${table} ${columns[table]}`)
        names?.add(table)
      }
      return rows.insert(...row)
    },
  })
}
