/** The tables of the keyring object: row types, migrations and statements. */
import { createRows } from '../sql-rows.ts'

/** The columns of every key. Times are epoch milliseconds. */
export type KeyTimes = {
  id: string
  created_at: number
  /** When the key begins to seal or sign. */
  used_from: number
}

/** `secret` is 32 random bytes. */
export type SealKeyRow = KeyTimes & { secret: ArrayBuffer }

/** `jwk` is the private key (ES256) as JSON. */
export type SigningKeyRow = KeyTimes & { jwk: string }

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    secret BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    used_from INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE redeemed_names (
    name TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX redeemed_names_by_expiry ON redeemed_names (expires_at);`,

  `CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    jwk TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_from INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE principal_sessions (
    principal TEXT NOT NULL,
    session TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (principal, session)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX principal_sessions_by_expiry ON principal_sessions (expires_at);`,

  `CREATE TABLE tasks (
    owner TEXT NOT NULL,
    task TEXT NOT NULL,
    principal TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, task)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tasks_by_expiry ON tasks (expires_at);`,
]

/** A session that stores rows, by its name. */
export type SessionRow = { session: string; expires_at: number }

/** A task by its name. `owner` is the digest of its subject, `principal` that of its principal. */
export type TaskIndexRow = {
  owner: string
  task: string
  principal: string
  created_at: number
  expires_at: number
}

export type Statements = ReturnType<typeof createStatements>

/** The keys of one use. */
export interface KeyTable<Row extends KeyTimes> {
  /** Oldest first. */
  all(): Row[]
  insert(row: Row): void
  delete(id: string): void
}

export function createStatements(sql: SqlStorage) {
  const { all, first, run, insert } = createRows(sql)
  const keyTable = <Row extends KeyTimes & Record<string, SqlStorageValue>>(
    table: 'keys' | 'signing_keys',
  ): KeyTable<Row> => ({
    all: () => all<Row>(`SELECT * FROM ${table} ORDER BY used_from, created_at`),
    insert: (row) => insert(table, row),
    delete: (id) => run(`DELETE FROM ${table} WHERE id = ?`, id),
  })
  return {
    sealKeys: keyTable<SealKeyRow>('keys'),
    signingKeys: keyTable<SigningKeyRow>('signing_keys'),

    /** False when the name is there already. */
    insertName: (name: string, expiresAt: number) =>
      first(
        `INSERT INTO redeemed_names (name, expires_at) VALUES (?, ?)
         ON CONFLICT DO NOTHING RETURNING name`,
        name,
        expiresAt,
      ) !== undefined,
    hasName: (name: string) =>
      first('SELECT 1 AS found FROM redeemed_names WHERE name = ?', name) !== undefined,
    deleteExpiredNames: (now: number) =>
      run('DELETE FROM redeemed_names WHERE expires_at <= ?', now),
    nextExpiry: () =>
      first<{ at: number | null }>(
        `SELECT min(at) AS at FROM (
           SELECT min(expires_at) AS at FROM redeemed_names
           UNION ALL SELECT min(expires_at) FROM principal_sessions
           UNION ALL SELECT min(expires_at) FROM tasks
         )`,
      )?.at ?? undefined,

    enterSession: (principal: string, session: string, usedAt: number, expiresAt: number) =>
      insert(
        'principal_sessions',
        { principal, session, used_at: usedAt, expires_at: expiresAt },
        'INSERT OR REPLACE',
      ),
    /** The sessions beyond the `limit` most recently used ones. */
    sessionsBeyond: (principal: string, limit: number) =>
      all<SessionRow>(
        `SELECT session, expires_at FROM principal_sessions WHERE principal = ?
         ORDER BY used_at DESC LIMIT -1 OFFSET ?`,
        principal,
        limit,
      ),
    deleteSession: (principal: string, session: string) =>
      run('DELETE FROM principal_sessions WHERE principal = ? AND session = ?', principal, session),
    insertTask: (row: TaskIndexRow) => insert('tasks', row, 'INSERT OR REPLACE'),
    countTasks: (owner: string, principal: string) =>
      first<{ count: number }>(
        'SELECT count(*) AS count FROM tasks WHERE owner = ? AND principal = ?',
        owner,
        principal,
      )?.count ?? 0,
    deleteTask: (owner: string, task: string) =>
      run('DELETE FROM tasks WHERE owner = ? AND task = ?', owner, task),
    /** Newest first, after a task at a time; of one principal, or of all when it is null. */
    tasksAfter: (
      owner: string,
      principal: string | null,
      createdAt: number,
      task: string,
      limit: number,
    ) =>
      all<{ task: string; created_at: number }>(
        `SELECT task, created_at FROM tasks
         WHERE owner = ?1 AND (?2 IS NULL OR principal = ?2)
           AND (created_at < ?3 OR (created_at = ?3 AND task > ?4))
         ORDER BY created_at DESC, task LIMIT ?5`,
        owner,
        principal,
        createdAt,
        task,
        limit,
      ),
    deleteExpiredTasks: (now: number) => run('DELETE FROM tasks WHERE expires_at <= ?', now),
    deleteExpiredSessions: (now: number) =>
      run('DELETE FROM principal_sessions WHERE expires_at <= ?', now),
  }
}
