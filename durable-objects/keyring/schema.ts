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

  CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    jwk TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_from INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE revocations (
    client TEXT PRIMARY KEY,
    valid_from INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,
]

/** `client` is the digest of a client id; empty for the revocation of everyone. */
export type RevocationRow = { client: string; valid_from: number }

export type Statements = ReturnType<typeof createStatements>

/** The keys of one use. */
export interface KeyTable<Row extends KeyTimes> {
  /** Oldest first. */
  all(): Row[]
  insert(row: Row): void
  delete(id: string): void
}

export function createStatements(sql: SqlStorage) {
  const { all, run, insert } = createRows(sql)
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

    revocations: () => all<RevocationRow>('SELECT * FROM revocations'),
    putRevocation: (row: RevocationRow) => insert('revocations', row, 'INSERT OR REPLACE'),
    deleteRevocations: () => run('DELETE FROM revocations'),
  }
}
