/** The SQL statements on what a session's client waits for: resource subscriptions and elicitations. */
import { createRows } from '../sql-rows.ts'

export function createSubscriptionStatements(sql: SqlStorage) {
  const { all, first } = createRows(sql)
  const run = (query: string, ...args: unknown[]) => sql.exec(query, ...args).rowsWritten > 0
  return {
    subscriptions: () => all<{ uri: string; spelling: string }>('SELECT * FROM subscriptions'),
    /** The spelling of a subscription; undefined without one. */
    spellingOf: (uri: string) =>
      first<{ spelling: string }>('SELECT spelling FROM subscriptions WHERE uri = ?', uri)
        ?.spelling,
    /** Number of subscriptions, and bytes of their spellings. */
    subscriptionTotals: () =>
      sql
        .exec<{ count: number; bytes: number }>(
          `SELECT count(*) AS count, coalesce(sum(length(CAST(spelling AS BLOB))), 0) AS bytes
           FROM subscriptions`,
        )
        .one(),
    subscribe: (uri: string, spelling: string) =>
      run('INSERT OR REPLACE INTO subscriptions (uri, spelling) VALUES (?, ?)', uri, spelling),
    unsubscribe: (uri: string) => run('DELETE FROM subscriptions WHERE uri = ?', uri),
    elicitations: () =>
      all<{ id: string }>('SELECT id FROM elicitations ORDER BY at').map(({ id }) => id),
    insertElicitation: (id: string, at: number) =>
      run('INSERT OR IGNORE INTO elicitations (id, at) VALUES (?, ?)', id, at),
    deleteElicitationsBefore: (before: number) =>
      run('DELETE FROM elicitations WHERE at <= ?', before),
    oldestElicitation: () =>
      first<{ at: number | null }>('SELECT min(at) AS at FROM elicitations')?.at ?? undefined,
    /** Returns whether the session expected it. */
    deleteElicitation: (id: string) => run('DELETE FROM elicitations WHERE id = ?', id),
  }
}
