/** Statements that both kinds of event objects have. Table and column names come from code, values are bound. */
import type { Rows } from '../sql-rows.ts'

type Columns = Readonly<Record<string, SqlStorageValue>>

/** @param where a condition with the values after it */
export function update(
  sql: Rows,
  table: string,
  columns: Columns,
  where: string,
  ...values: SqlStorageValue[]
): void {
  const places = Object.keys(columns).map((name) => `${name} = ?`)
  const query = `UPDATE ${table} SET ${places.join(', ')} WHERE ${where}`
  sql.run(query, ...Object.values(columns), ...values)
}

export function hasRows(sql: Rows, table: string): boolean {
  return sql.value(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined
}
