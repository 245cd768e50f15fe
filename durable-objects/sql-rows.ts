/** Queries on the rows of an object's tables. Table and column names come from code, values are bound. */

type Row = Record<string, SqlStorageValue>

export function createRows(sql: SqlStorage) {
  const all = <T extends Row>(query: string, ...values: SqlStorageValue[]): T[] =>
    sql.exec<T>(query, ...values).toArray()
  /** Returns whether a row was written. */
  const run = (query: string, ...values: SqlStorageValue[]): boolean =>
    sql.exec(query, ...values).rowsWritten > 0
  return {
    all,
    first: <T extends Row>(query: string, ...values: SqlStorageValue[]): T | undefined =>
      all<T>(query, ...values)[0],
    /** Of a query that always has a row, such as one that counts. */
    one: <T extends Row>(query: string, ...values: SqlStorageValue[]): T =>
      sql.exec<T>(query, ...values).one(),
    /** The one column of the first row; undefined without a row, and for null. */
    value: <T extends SqlStorageValue>(query: string, ...values: SqlStorageValue[]) =>
      ([...sql.exec(query, ...values).raw()][0]?.[0] ?? undefined) as T | undefined,
    run,
    /**
     * Returns whether the row was written.
     *
     * @param verb `INSERT`, or with the conflict clause `INSERT OR …`
     */
    insert: (table: string, row: Row, verb = 'INSERT'): boolean => {
      const names = Object.keys(row)
      const places = names.map(() => '?').join(', ')
      const query = `${verb} INTO ${table} (${names.join(', ')}) VALUES (${places})`
      return run(query, ...Object.values(row))
    },
  }
}
