/** The tables of the lists of sessions and tasks: row types, migrations and statements. */
import { createRows } from '../sql-rows.ts'

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE principal_sessions (
    principal TEXT NOT NULL,
    session TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    server TEXT NOT NULL,
    PRIMARY KEY (principal, session)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX principal_sessions_by_expiry ON principal_sessions (expires_at);

  CREATE TABLE tasks (
    owner TEXT NOT NULL,
    task TEXT NOT NULL,
    principal TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    is_freed INTEGER NOT NULL DEFAULT 0,
    server TEXT NOT NULL,
    PRIMARY KEY (owner, task)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tasks_by_expiry ON tasks (expires_at);`,
]

/** A session that stores rows, by its name. */
export type SessionRow = { session: string; used_at: number; expires_at: number }

/** A task by its name. `owner` is the digest of its subject, `principal` that of its principal. */
export type TaskIndexRow = {
  owner: string
  task: string
  principal: string
  created_at: number
  expires_at: number
  /** 1: the task was cancelled, and does not count towards the limit any more. */
  is_freed: number
  server: string
}

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const { count, all, first, value, run, insert } = createRows(sql)
  return {
    deleteExpired: (table: 'principal_sessions' | 'tasks', now: number) =>
      run(`DELETE FROM ${table} WHERE expires_at <= ?`, now),
    nextExpiry: () =>
      value<number>(
        `SELECT min(at) FROM (
           SELECT min(expires_at) AS at FROM principal_sessions
           UNION ALL SELECT min(expires_at) FROM tasks
         )`,
      ),

    enterSession: (row: SessionRow & { principal: string; server: string }) =>
      insert('principal_sessions', row, 'INSERT OR REPLACE'),
    /** The sessions beyond the `limit` most recently used ones, of one server of the Worker or of all. */
    sessionsBeyond: (principal: string, limit: number, server: string | null) =>
      all<SessionRow>(
        `SELECT session, used_at, expires_at FROM principal_sessions
         WHERE principal = ?1 AND (?2 IS NULL OR server = ?2)
         ORDER BY used_at DESC LIMIT -1 OFFSET ?3`,
        principal,
        server,
        limit,
      ),
    deleteSession: (principal: string, session: string) =>
      run('DELETE FROM principal_sessions WHERE principal = ? AND session = ?', principal, session),
    insertTask: (row: Omit<TaskIndexRow, 'is_freed'>) => insert('tasks', row, 'INSERT OR REPLACE'),
    countTasks: (owner: string, principal: string) =>
      first<{ listed: number; freed: number }>(
        `SELECT count(*) AS listed, total(is_freed) AS freed
         FROM tasks WHERE owner = ? AND principal = ?`,
        owner,
        principal,
      ) ?? { listed: 0, freed: 0 },
    hasPlace: (owner: string, task: string) =>
      count('tasks WHERE owner = ? AND task = ? AND is_freed = 0', owner, task) > 0,
    freeTask: (owner: string, task: string) =>
      run('UPDATE tasks SET is_freed = 1 WHERE owner = ? AND task = ?', owner, task),
    deleteTask: (owner: string, task: string) =>
      run('DELETE FROM tasks WHERE owner = ? AND task = ?', owner, task),
    /** Newest first, after a task at a time; of one principal, or of all when it is null. */
    tasksAfter: (
      owner: string,
      principal: string | null,
      createdAt: number,
      task: string,
      limit: number,
      server: string | null,
    ) =>
      all<{ task: string; created_at: number }>(
        `SELECT task, created_at FROM tasks
         WHERE owner = ?1 AND (?2 IS NULL OR principal = ?2)
           AND (?6 IS NULL OR server = ?6)
           AND (created_at < ?3 OR (created_at = ?3 AND task > ?4))
         ORDER BY created_at DESC, task LIMIT ?5`,
        owner,
        principal,
        createdAt,
        task,
        limit,
        server,
      ),
  }
}
