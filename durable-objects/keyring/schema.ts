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
]

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
      first<{ at: number | null }>('SELECT min(expires_at) AS at FROM redeemed_names')?.at ??
      undefined,
  }
}
