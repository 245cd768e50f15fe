/** The keyring's tables: row types, migrations, and every statement under a name. */

/** `secret` is 32 random bytes; `used_from` is when it begins to seal. Times are epoch ms. */
export type KeyRow = { id: string; secret: ArrayBuffer; created_at: number; used_from: number }

/** `jwk` is the private key (ES256) as JSON. */
export type SigningKeyRow = { id: string; jwk: string; created_at: number; used_from: number }

export type RedeemedNameRow = { name: string; expires_at: number }

/** Applied in order, each once. Append only: an object that exists has run the earlier ones. */
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

export function createStatements(sql: SqlStorage) {
  return {
    /** Oldest first. */
    keys: () => sql.exec<KeyRow>('SELECT * FROM keys ORDER BY used_from, created_at').toArray(),
    insertKey: ({ id, secret, created_at, used_from }: KeyRow) => {
      sql.exec(
        'INSERT INTO keys (id, secret, created_at, used_from) VALUES (?, ?, ?, ?)',
        id,
        secret,
        created_at,
        used_from,
      )
    },
    deleteKey: (id: string) => {
      sql.exec('DELETE FROM keys WHERE id = ?', id)
    },

    /** Oldest first. */
    signingKeys: () =>
      sql
        .exec<SigningKeyRow>('SELECT * FROM signing_keys ORDER BY used_from, created_at')
        .toArray(),
    insertSigningKey: ({ id, jwk, created_at, used_from }: SigningKeyRow) => {
      sql.exec(
        'INSERT INTO signing_keys (id, jwk, created_at, used_from) VALUES (?, ?, ?, ?)',
        id,
        jwk,
        created_at,
        used_from,
      )
    },
    deleteSigningKey: (id: string) => {
      sql.exec('DELETE FROM signing_keys WHERE id = ?', id)
    },

    /** Whether the name was not there. */
    insertName: ({ name, expires_at }: RedeemedNameRow) =>
      sql
        .exec(
          `INSERT INTO redeemed_names (name, expires_at) VALUES (?, ?)
           ON CONFLICT DO NOTHING RETURNING name`,
          name,
          expires_at,
        )
        .toArray().length === 1,
    deleteExpiredNames: (now: number) => {
      sql.exec('DELETE FROM redeemed_names WHERE expires_at <= ?', now)
    },
    nextExpiry: () =>
      sql.exec<{ at: number | null }>('SELECT min(expires_at) AS at FROM redeemed_names').one()
        .at ?? undefined,
  }
}
