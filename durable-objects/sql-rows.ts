/** Queries on the rows of an object's tables. Table and column names come from code, values are bound. */

type Row = Readonly<Record<string, SqlStorageValue>>

type All = <T extends Row>(query: string, ...values: SqlStorageValue[]) => T[]

/** Returns whether a row was written. */
type Run = (query: string, ...values: SqlStorageValue[]) => boolean

export type Rows = ReturnType<typeof rowsOver>

/** @param onWrite called before each statement that may write */
export function createRows(sql: SqlStorage, onWrite?: () => void): Rows {
  return rowsOver(
    <T extends Row>(query: string, ...values: SqlStorageValue[]) =>
      sql.exec<T>(query, ...values).toArray(),
    (query, ...values) => {
      onWrite?.()
      return sql.exec(query, ...values).rowsWritten > 0
    },
  )
}

export function rowsOver(all: All, run: Run) {
  /** Of a query that always has a row, such as one that counts. */
  const one = <T extends Row>(query: string, ...values: SqlStorageValue[]): T =>
    all<T>(query, ...values)[0] as T
  /** The one column of the first row; undefined without a row, and for null. */
  const value = <T extends SqlStorageValue>(query: string, ...values: SqlStorageValue[]) =>
    (Object.values(all(query, ...values)[0] ?? {})[0] ?? undefined) as T | undefined
  return {
    all,
    first: <T extends Row>(query: string, ...values: SqlStorageValue[]): T | undefined =>
      all<T>(query, ...values)[0],
    one,
    value,
    /** @param rows a table, with a condition if there is one */
    count: (rows: string, ...values: SqlStorageValue[]): number =>
      value<number>(`SELECT count(*) FROM ${rows}`, ...values) ?? 0,
    run,
    /** @param where a condition with the values after it */
    update: (table: string, columns: Row, where: string, ...values: SqlStorageValue[]): boolean => {
      const places = Object.keys(columns).map((name) => `${name} = ?`)
      const query = `UPDATE ${table} SET ${places.join(', ')} WHERE ${where}`
      return run(query, ...Object.values(columns), ...values)
    },
    /**
     * Returns whether the row was written.
     *
     * @param verb `INSERT`, or with the conflict clause `INSERT OR …`
     */
    insert: (table: string, row: Row, verb = 'INSERT'): boolean =>
      run(insertText(table, row, verb), ...Object.values(row)),
  }
}

export function hasRows(sql: Rows, table: string): boolean {
  return sql.value(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined
}

/** The statement that inserts a row, with a place for each value. */
export function insertText(table: string, row: Row, verb = 'INSERT'): string {
  const names = Object.keys(row)
  const places = names.map(() => '?').join(', ')
  return `${verb} INTO ${table} (${names.join(', ')}) VALUES (${places})`
}
