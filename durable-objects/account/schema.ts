/** The account's tables: row types, migrations, and every statement under a name. */

/**
 * A grant, from its approval to its end. Times are epoch ms, hashes are SHA-256 in base64url, `client`
 * and `scopes` are JSON. What belongs to refreshing means nothing while it is pending.
 */
export type GrantRow = {
  id: string
  /** `pending` until its code is redeemed. */
  state: 'pending' | 'live'
  subject: string
  client: string
  redirect_uri: string
  resource: string
  scopes: string
  created_at: number
  /** When it ends however much it is used. */
  expires_at: number
  /** When there is nothing left of it: the code's expiry while pending, and then the grant's end. */
  due_at: number
  last_used_at: number
  code_hash: string
  code_challenge: string
  /** The key that the authorization request has bound the code to. */
  code_jkt: string | null
  /** The attempt that has redeemed the code. */
  redeemed_by: string | null
  /** The key that the refresh tokens are bound to. */
  dpop_jkt: string | null
  /** Makes successors out of secrets, and tells the family's own secrets from others. */
  family_key: ArrayBuffer
  /** How often it was refreshed. */
  generation: number
  refresh_hash: string
  rotated_at: number
  refresh_until: number
  /** When the last access token is dead. */
  access_until: number
  /** The grant key under the code's secret while pending, and then under the newest refresh secret. */
  wrapped_key: ArrayBuffer
  /** Under the grant key. */
  props: ArrayBuffer
}

/** What a redemption or a refresh changes. */
export type Renewal = Pick<
  GrantRow,
  | 'generation'
  | 'refresh_hash'
  | 'rotated_at'
  | 'refresh_until'
  | 'access_until'
  | 'due_at'
  | 'last_used_at'
  | 'dpop_jkt'
  | 'wrapped_key'
> & { redeemed_by: string }

export type NewGrantRow = Omit<GrantRow, keyof Renewal | 'state'> &
  Pick<GrantRow, 'due_at' | 'last_used_at' | 'wrapped_key'>

export type ConsentRow = {
  client_id: string
  redirect_uri: string
  resource: string
  scopes: string
  due_at: number
}

/** `key` is a hash; until `wait_until` nothing is allowed. */
export type GuessRow = { key: string; failures: number; wait_until: number; due_at: number }

/** What a URL led to when it was last fetched, as JSON. */
export type DocumentRow = {
  url: string
  value: string
  fetched_at: number
  fresh_until: number
  due_at: number
}

/** Each has a time at which a row is of no more use. */
const TABLES = ['grants', 'revoked_grants', 'consents', 'guesses', 'documents'] as const

/** Applied in order, each once. Append only: an object that exists has run the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL DEFAULT 'pending',
    subject TEXT NOT NULL,
    client TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    code_hash TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    code_jkt TEXT,
    redeemed_by TEXT,
    dpop_jkt TEXT,
    family_key BLOB NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    refresh_hash TEXT NOT NULL DEFAULT '',
    rotated_at INTEGER NOT NULL DEFAULT 0,
    refresh_until INTEGER NOT NULL DEFAULT 0,
    access_until INTEGER NOT NULL DEFAULT 0,
    wrapped_key BLOB NOT NULL,
    props BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX grants_by_code ON grants (code_hash);
  CREATE INDEX grants_by_due ON grants (due_at);

  CREATE TABLE revoked_grants (id TEXT PRIMARY KEY, due_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX revoked_grants_by_due ON revoked_grants (due_at);

  CREATE TABLE consents (
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, redirect_uri, resource)
  ) STRICT;
  CREATE INDEX consents_by_due ON consents (due_at);

  CREATE TABLE guesses (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    wait_until INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX guesses_by_due ON guesses (due_at);`,
  `CREATE TABLE documents (
    url TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_due ON documents (due_at);`,
]

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const first = <T extends Record<string, SqlStorageValue>>(query: string, ...args: unknown[]) =>
    sql.exec<T>(query, ...args).toArray()[0]
  const run = (query: string, ...args: unknown[]) => {
    sql.exec(query, ...args)
  }
  return {
    grant: (id: string) => first<GrantRow>('SELECT * FROM grants WHERE id = ?', id),
    grantByCode: (hash: string) =>
      first<GrantRow>('SELECT * FROM grants WHERE code_hash = ?', hash),
    /** Newest first. */
    liveGrants: (now: number) =>
      sql
        .exec<GrantRow>(
          `SELECT * FROM grants WHERE state = 'live' AND due_at > ?
           ORDER BY created_at DESC, rowid DESC`,
          now,
        )
        .toArray(),
    insertGrant: (row: NewGrantRow) => insert(sql, 'grants', row),
    renewGrant: (id: string, row: Renewal) => {
      update(sql, id, { ...row, state: 'live' })
    },
    /** Another access token was issued, and nothing was rotated. */
    prolongGrant: (id: string, row: Pick<GrantRow, 'access_until' | 'due_at' | 'last_used_at'>) => {
      update(sql, id, row)
    },
    setProps: (id: string, props: ArrayBuffer) => update(sql, id, { props }),
    touchGrant: (id: string, last_used_at: number) => update(sql, id, { last_used_at }),
    deleteGrant: (id: string) => run('DELETE FROM grants WHERE id = ?', id),
    countGrants: (state: GrantRow['state']) =>
      sql.exec<{ rows: number }>('SELECT count(*) AS rows FROM grants WHERE state = ?', state).one()
        .rows,
    leastRecentlyUsed: (state: GrantRow['state']) =>
      first<GrantRow>(
        'SELECT * FROM grants WHERE state = ? ORDER BY last_used_at, rowid LIMIT 1',
        state,
      ),

    insertRevoked: (id: string, due_at: number) =>
      run('INSERT OR IGNORE INTO revoked_grants (id, due_at) VALUES (?, ?)', id, due_at),
    isRevoked: (id: string) => first('SELECT 1 FROM revoked_grants WHERE id = ?', id) !== undefined,

    consent: (client_id: string, redirect_uri: string, resource: string) =>
      first<ConsentRow>(
        'SELECT * FROM consents WHERE client_id = ? AND redirect_uri = ? AND resource = ?',
        client_id,
        redirect_uri,
        resource,
      ),
    putConsent: ({ client_id, redirect_uri, resource, scopes, due_at }: ConsentRow) =>
      run(
        `INSERT OR REPLACE INTO consents (client_id, redirect_uri, resource, scopes, due_at)
         VALUES (?, ?, ?, ?, ?)`,
        client_id,
        redirect_uri,
        resource,
        scopes,
        due_at,
      ),
    deleteConsents: (client_id: string) =>
      run('DELETE FROM consents WHERE client_id = ?', client_id),
    trimConsents: (most: number) => trim(sql, 'consents', most),

    guesses: (key: string) => first<GuessRow>('SELECT * FROM guesses WHERE key = ?', key),
    putGuesses: ({ key, failures, wait_until, due_at }: GuessRow) =>
      run(
        'INSERT OR REPLACE INTO guesses (key, failures, wait_until, due_at) VALUES (?, ?, ?, ?)',
        key,
        failures,
        wait_until,
        due_at,
      ),
    countGuesses: () =>
      sql.exec<{ rows: number }>('SELECT count(*) AS rows FROM guesses').one().rows,
    /** Those that say least, first. */
    deleteLeastGuesses: (count: number) =>
      run(
        `DELETE FROM guesses WHERE key IN (
           SELECT key FROM guesses ORDER BY failures, due_at LIMIT ?
         )`,
        count,
      ),

    document: (url: string) => first<DocumentRow>('SELECT * FROM documents WHERE url = ?', url),
    insertDocument: (row: DocumentRow) => insert(sql, 'documents', row),
    deleteDocument: (url: string) => run('DELETE FROM documents WHERE url = ?', url),
    trimDocuments: (most: number) => trim(sql, 'documents', most),

    nextDue: () => {
      const each = TABLES.map((table) => `SELECT min(due_at) AS at FROM ${table}`)
      const query = `SELECT min(at) AS at FROM (${each.join(' UNION ALL ')})`
      return first<{ at: number | null }>(query)?.at ?? undefined
    },
    deleteDue: (now: number) => {
      for (const table of TABLES) run(`DELETE FROM ${table} WHERE due_at <= ?`, now)
    },
  }
}

/** Drops all but the newest. */
function trim(sql: SqlStorage, table: 'consents' | 'documents', most: number): void {
  sql.exec(
    `DELETE FROM ${table} WHERE rowid IN (
       SELECT rowid FROM ${table} ORDER BY due_at DESC, rowid DESC LIMIT -1 OFFSET ?
     )`,
    most,
  )
}

/** The names are this room's own row types, never text from outside. */
function insert(sql: SqlStorage, table: string, row: object): void {
  const names = Object.keys(row)
  const places = names.map(() => '?').join(', ')
  sql.exec(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`, ...Object.values(row))
}

function update(sql: SqlStorage, id: string, row: object): void {
  const assignments = Object.keys(row).map((name) => `${name} = ?`)
  sql.exec(`UPDATE grants SET ${assignments.join(', ')} WHERE id = ?`, ...Object.values(row), id)
}
