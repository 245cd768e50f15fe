/** Queries on the rows of an object's tables. Table and column names come from code, values are bound. */

type Row = Record<string, SqlStorageValue>

export function createRows(sql: SqlStorage) {
  const all = <T extends Row>(query: string, ...values: SqlStorageValue[]): T[] =>
    sql.exec<T>(query, ...values).toArray()
  return {
    all,
    first: <T extends Row>(query: string, ...values: SqlStorageValue[]): T | undefined =>
      all<T>(query, ...values)[0],
    /** Of a query that always has a row, such as one that counts. */
    one: <T extends Row>(query: string, ...values: SqlStorageValue[]): T =>
      sql.exec<T>(query, ...values).one(),
    run: (query: string, ...values: SqlStorageValue[]): void => {
      sql.exec(query, ...values)
    },
    /** @param verb `INSERT`, or with the conflict clause `INSERT OR …` */
    insert: (table: string, row: Row, verb = 'INSERT'): void => {
      const names = Object.keys(row)
      const places = names.map(() => '?').join(', ')
      sql.exec(
        `${verb} INTO ${table} (${names.join(', ')}) VALUES (${places})`,
        ...Object.values(row),
      )
    },
  }
}
