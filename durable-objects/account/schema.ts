/** The tables of the account object: row types, migrations and statements. */
import { createRows } from '../sql-rows.ts'
import { dueStatements, trimToNewest } from './due-rows.ts'
import type { PropsColumns } from './renewed-props.ts'

/**
 * A grant from its approval to its end. Times are epoch milliseconds, digests are SHA-256 in
 * base64url, `client` and `scopes` are JSON. The columns about refreshing have no meaning while the
 * grant is pending.
 */
export type GrantRow = PropsColumns & {
  /** `pending` until its code is redeemed. */
  state: 'pending' | 'live'
  subject: string
  client: string
  redirect_uri: string
  resource: string
  scopes: string
  created_at: number
  /** End of the grant's lifetime, even when it is used. */
  expires_at: number
  /** When the row may be deleted: the expiry of the code while pending, later of both tokens. */
  due_at: number
  last_used_at: number
  code_hash: string
  code_challenge: string
  /** Thumbprint of the DPoP key of the authorization request. */
  code_jkt: string | null
  /** Idempotency key of the redemption. */
  redeemed_by: string | null
  /** Thumbprint of the DPoP key that the refresh tokens are bound to. */
  dpop_jkt: string | null
  /** Authenticates and derives the refresh tokens of the grant. */
  family_key: ArrayBuffer
  /** Number of rotations. */
  generation: number
  refresh_hash: string
  rotated_at: number
  refresh_until: number
  /** Expiry of the newest access token. */
  access_until: number
  /** The grant key, wrapped under the code while pending, then under the newest refresh token. */
  wrapped_key: ArrayBuffer
}

/**
 * A personal access token. The id is the digest of its key: SHA-256 in base64url. Times are epoch
 * milliseconds, `scopes` is JSON.
 */
export type PersonalTokenRow = PropsColumns & {
  name: string
  resource: string
  scopes: string
  created_at: number
  /** Null before the first use. */
  last_used_at: number | null
  /** The expiry of the token. */
  due_at: number
}

/** The columns that have no value before the code is redeemed. */
type RedemptionColumn =
  | 'state'
  | 'redeemed_by'
  | 'dpop_jkt'
  | 'generation'
  | 'refresh_hash'
  | 'rotated_at'
  | 'refresh_until'
  | 'access_until'
  | 'renewed_props'

export type NewGrantRow = Omit<GrantRow, RedemptionColumn>

/** `scopes` is a JSON array of the approved scope sets, newest first. */
export type ConsentRow = {
  client_id: string
  redirect_uri: string
  resource: string
  scopes: string
  due_at: number
}

/** The id of the row that ends all sign-ins until its time. Ids of sign-ins are base64url. */
const ALL_SIGN_INS = '*'

/** The tables, which `dueStatements` reads. */
const TABLES = [
  'grants',
  'revoked_grants',
  'consents',
  'ended_sign_ins',
  'personal_tokens',
  'definition_versions',
] as const

/** Append-only: an existing object has applied the earlier ones. */
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
    props BLOB NOT NULL,
    public_key BLOB,
    renewed_props BLOB
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

  CREATE TABLE ended_sign_ins (id TEXT PRIMARY KEY, due_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX ended_sign_ins_by_due ON ended_sign_ins (due_at);

  CREATE TABLE personal_tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    resource TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    due_at INTEGER NOT NULL,
    props BLOB NOT NULL,
    public_key BLOB,
    renewed_props BLOB
  ) STRICT;
  CREATE INDEX personal_tokens_by_due ON personal_tokens (due_at);

  CREATE TABLE definition_versions (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;`,
]

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const { all, first, value, count, run, insert, update } = createRows(sql)
  return {
    grant: (id: string) => first<GrantRow>('SELECT * FROM grants WHERE id = ?', id),
    grantByCode: (hash: string) =>
      first<GrantRow>('SELECT * FROM grants WHERE code_hash = ?', hash),
    /** Pending ones too. */
    grants: () => all<GrantRow>('SELECT * FROM grants'),
    /** Those that have not expired, newest first. */
    grantsAt: (now: number) =>
      all<GrantRow>(
        'SELECT * FROM grants WHERE due_at > ? ORDER BY created_at DESC, rowid DESC',
        now,
      ),
    insertGrant: (row: NewGrantRow) => insert('grants', row),
    updateGrant: (id: string, row: Partial<GrantRow>) => update('grants', row, 'id = ?', id),
    deleteGrant: (id: string) => run('DELETE FROM grants WHERE id = ?', id),
    countGrants: (state: GrantRow['state']) => count('grants WHERE state = ?', state),
    leastRecentlyUsed: (state: GrantRow['state']) =>
      first<GrantRow>(
        'SELECT * FROM grants WHERE state = ? ORDER BY last_used_at, rowid LIMIT 1',
        state,
      ),

    personalToken: (id: string) =>
      first<PersonalTokenRow>('SELECT * FROM personal_tokens WHERE id = ?', id),
    /** Newest first. */
    personalTokens: () =>
      all<PersonalTokenRow>('SELECT * FROM personal_tokens ORDER BY created_at DESC, rowid DESC'),
    insertPersonalToken: (row: PersonalTokenRow) => insert('personal_tokens', row),
    updatePersonalToken: (id: string, row: Partial<PersonalTokenRow>) =>
      update('personal_tokens', row, 'id = ?', id),
    deletePersonalToken: (id: string) => run('DELETE FROM personal_tokens WHERE id = ?', id),

    insertRevoked: (id: string, due_at: number) =>
      insert('revoked_grants', { id, due_at }, 'INSERT OR IGNORE'),
    isRevoked: (id: string) => count('revoked_grants WHERE id = ?', id) > 0,

    insertEndedSignIn: (id: string, due_at: number) =>
      insert('ended_sign_ins', { id, due_at }, 'INSERT OR IGNORE'),
    hasSignInEnded: (id: string) => count('ended_sign_ins WHERE id = ?', id) > 0,
    /** Ends every sign-in that expires by this time. */
    endSignInsUntil: (due_at: number) =>
      insert('ended_sign_ins', { id: ALL_SIGN_INS, due_at }, 'INSERT OR REPLACE'),
    signInsEndedUntil: () =>
      value<number>('SELECT due_at FROM ended_sign_ins WHERE id = ?', ALL_SIGN_INS) ?? 0,

    /** Undefined before the first change, and after its row has expired. */
    definitionVersion: (now: number) =>
      value<string>('SELECT version FROM definition_versions WHERE due_at > ?', now),
    putDefinitionVersion: (version: string, due_at: number) =>
      insert('definition_versions', { id: 0, version, due_at }, 'INSERT OR REPLACE'),

    consent: (client_id: string, redirect_uri: string, resource: string) =>
      first<ConsentRow>(
        'SELECT * FROM consents WHERE client_id = ? AND redirect_uri = ? AND resource = ?',
        client_id,
        redirect_uri,
        resource,
      ),
    putConsent: (row: ConsentRow) => insert('consents', row, 'INSERT OR REPLACE'),
    deleteConsents: (client_id: string) =>
      run('DELETE FROM consents WHERE client_id = ?', client_id),
    consentClients: () =>
      all<Pick<ConsentRow, 'client_id'>>('SELECT DISTINCT client_id FROM consents'),
    countConsents: () => count('consents'),
    /** Deletes the consents of a client that are due before a time. */
    deleteConsentsUntil: (client_id: string, due_at: number) =>
      run('DELETE FROM consents WHERE client_id = ? AND due_at < ?', client_id, due_at),
    deleteAllConsents: () => run('DELETE FROM consents'),
    /** Deletes what is kept about grants that have ended. */
    deleteTraces: () => {
      for (const table of ['revoked_grants', 'ended_sign_ins', 'definition_versions']) {
        run(`DELETE FROM ${table}`)
      }
    },
    trimConsents: (most: number) => trimToNewest(run, 'consents', most),

    ...dueStatements(sql, TABLES),
  }
}
