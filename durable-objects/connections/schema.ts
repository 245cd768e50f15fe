/** The tables of the connections object: row types, migrations and statements. */
import { createRows } from '../sql-rows.ts'

/** One account of the person at a service. */
export type AccountRow = {
  /** Random; names the row on pages. */
  id: string
  /** The name of the connection in the app. */
  connection: string
  /** What the service calls the account: stable. */
  account: string
  label: string
  /** The label that the person has chosen. */
  own_label: string | null
  /** Sealed props of the login, with the tokens; null once the connection has ended. */
  sealed: string | null
  sealed_at: number
  /** Granted scopes, separated by spaces. */
  scopes: string
  is_default: number
  created_at: number
  used_at: number
}

/** An app that may use an account, with the scopes that the person saw. */
export type AdmissionRow = {
  account: string
  client: string
  client_name: string
  scopes: string
  created_at: number
  used_at: number
}

/** A page that the person was asked to open. */
export type VisitRow = {
  id: string
  /** What else asks for the same has the same page. */
  wanted: string
  connection: string
  client: string
  client_name: string
  scopes: string
  /** JSON: the tool and the reason, and the account that was connected. */
  about: string
  state: 'open' | 'done' | 'declined' | 'failed'
  /** JSON: the secrets of the webhooks of those who wait. */
  webhooks: string
  expires_at: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    connection TEXT NOT NULL,
    account TEXT NOT NULL,
    label TEXT NOT NULL,
    own_label TEXT,
    sealed TEXT,
    sealed_at INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (connection, account)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE admissions (
    account TEXT NOT NULL,
    client TEXT NOT NULL,
    client_name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account, client)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE visits (
    id TEXT PRIMARY KEY,
    wanted TEXT NOT NULL,
    connection TEXT NOT NULL,
    client TEXT NOT NULL,
    client_name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    about TEXT NOT NULL,
    state TEXT NOT NULL,
    webhooks TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,
]

export function createConnectionStatements(sql: SqlStorage) {
  const { all, first, value, count, run, insert, update } = createRows(sql)
  return {
    accounts: () => all<AccountRow>('SELECT * FROM accounts ORDER BY connection, created_at, id'),
    accountsOf: (connection: string) =>
      all<AccountRow>(
        'SELECT * FROM accounts WHERE connection = ? ORDER BY created_at, id',
        connection,
      ),
    account: (id: string) => first<AccountRow>('SELECT * FROM accounts WHERE id = ?', id),
    addAccount: (row: AccountRow) => insert('accounts', row),
    changeAccount: (id: string, columns: Partial<AccountRow>) =>
      update('accounts', columns, 'id = ?', id),
    deleteAccount: (id: string) => {
      run('DELETE FROM admissions WHERE account = ?', id)
      return run('DELETE FROM accounts WHERE id = ?', id)
    },
    admissionsOf: (account: string) =>
      all<AdmissionRow>('SELECT * FROM admissions WHERE account = ? ORDER BY created_at', account),
    admission: (account: string, client: string) =>
      first<AdmissionRow>(
        'SELECT * FROM admissions WHERE account = ? AND client = ?',
        account,
        client,
      ),
    admit: (row: AdmissionRow) => insert('admissions', row, 'INSERT OR REPLACE'),
    dismiss: (client: string) => run('DELETE FROM admissions WHERE client = ?', client),
    useAdmission: (account: string, client: string, at: number) =>
      update('admissions', { used_at: at }, 'account = ? AND client = ?', account, client),
    visit: (id: string) => first<VisitRow>('SELECT * FROM visits WHERE id = ?', id),
    openVisit: (wanted: string, now: number) =>
      first<VisitRow>(
        "SELECT * FROM visits WHERE wanted = ? AND state = 'open' AND expires_at > ?",
        wanted,
        now,
      ),
    countOpenVisits: (now: number) => count("visits WHERE state = 'open' AND expires_at > ?", now),
    addVisit: (row: VisitRow) => insert('visits', row),
    changeVisit: (id: string, columns: Partial<VisitRow>) =>
      update('visits', columns, 'id = ?', id),
    deleteVisitsBefore: (now: number) => run('DELETE FROM visits WHERE expires_at <= ?', now),
    nextExpiry: () => value<number>('SELECT min(expires_at) FROM visits'),
    countRows: () => count('accounts') + count('visits'),
  }
}

export type ConnectionStatements = ReturnType<typeof createConnectionStatements>
