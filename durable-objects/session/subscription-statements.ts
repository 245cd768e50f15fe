/** The SQL statements on what a session's client waits for: resource subscriptions and elicitations. */
import type { Rows } from '../sql-rows.ts'

export function createSubscriptionStatements({ all, value, one, run, insert }: Rows) {
  return {
    subscriptions: () => all<{ uri: string; spelling: string }>('SELECT * FROM subscriptions'),
    /** The spelling of a subscription; undefined without one. */
    spellingOf: (uri: string) =>
      value<string>('SELECT spelling FROM subscriptions WHERE uri = ?', uri),
    /** Number of subscriptions, and bytes of their spellings. */
    subscriptionTotals: () =>
      one<{ count: number; bytes: number }>(
        `SELECT count(*) AS count, total(length(CAST(spelling AS BLOB))) AS bytes
         FROM subscriptions`,
      ),
    subscribe: (uri: string, spelling: string) =>
      insert('subscriptions', { uri, spelling }, 'INSERT OR REPLACE'),
    unsubscribe: (uri: string) => run('DELETE FROM subscriptions WHERE uri = ?', uri),
    elicitations: () =>
      all<{ id: string }>('SELECT id FROM elicitations ORDER BY at').map(({ id }) => id),
    insertElicitation: (id: string, at: number) =>
      insert('elicitations', { id, at }, 'INSERT OR IGNORE'),
    deleteElicitationsBefore: (before: number) =>
      run('DELETE FROM elicitations WHERE at <= ?', before),
    oldestElicitation: () => value<number>('SELECT min(at) FROM elicitations'),
    /** Returns whether the session expected it. */
    deleteElicitation: (id: string) => run('DELETE FROM elicitations WHERE id = ?', id),
  }
}
