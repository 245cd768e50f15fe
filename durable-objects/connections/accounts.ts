/** Which account a call uses, and what is stored of accounts and of the apps that are admitted to them. */

import {
  type Choosable,
  type Chosen,
  chooseAccount,
} from '../../src/features/connections/choose-account.ts'
import { cleanLabel } from '../../src/features/connections/label.ts'
import type {
  AccountChange,
  AccountView,
  Connected,
  NewAccount,
  Use,
} from '../../src/features/connections/store.ts'
import { randomId } from '../../src/platform/random-token.ts'
import type { LazyStatements } from '../tables.ts'
import type { AccountRow, ConnectionStatements, VisitRow } from './schema.ts'

/** `used_at` is written when it is older: a call must not cost a write. */
const USED_ACCURACY_MS = 60 * 60 * 1000

export const scopesIn = (text: string): readonly string[] => text.split(' ').filter(Boolean)

const includesAll = (granted: string, wanted: readonly string[]) => {
  const scopes = new Set(scopesIn(granted))
  return wanted.every((scope) => scopes.has(scope))
}

export const labelOf = ({ own_label, label }: AccountRow): string => own_label ?? label

const nameOf = (row: AccountRow): Choosable => ({
  id: row.account,
  label: labelOf(row),
  isDefault: row.is_default === 1,
})

/** What a page has shown of an app. */
type Admitted = Pick<VisitRow, 'connection' | 'client' | 'client_name' | 'scopes'>

export class StoredAccounts {
  readonly #tables: LazyStatements<ConnectionStatements>

  constructor(tables: LazyStatements<ConnectionStatements>) {
    this.#tables = tables
  }

  choose(use: Use): Chosen<AccountRow> {
    return chooseAccount(this.#usable(use.connection, use.client, use.scopes), nameOf, use)
  }

  labels(client: string): Readonly<Record<string, readonly string[]>> {
    const found: Record<string, string[]> = {}
    for (const row of this.#tables.existing?.accounts() ?? []) {
      if (row.sealed === null || this.#admission(row, client) === undefined) continue
      found[row.connection] = [...(found[row.connection] ?? []), labelOf(row)]
    }
    return found
  }

  /** Notes that an app has used an account now. */
  used({ id }: AccountRow, client: string, now: number): void {
    const { statements } = this.#tables
    const admission = statements.admission(id, client)
    if (admission === undefined || now - admission.used_at < USED_ACCURACY_MS) return
    statements.useAdmission(id, client, now)
    statements.changeAccount(id, { used_at: now })
  }

  /** Whether the app may use the account from now on. */
  admit(visit: Admitted, id: string, now: number): boolean {
    const { statements } = this.#tables
    const row = statements.account(id)
    const fits =
      row !== undefined &&
      row.connection === visit.connection &&
      row.sealed !== null &&
      includesAll(row.scopes, scopesIn(visit.scopes))
    if (!fits) return false
    const known = statements.admission(id, visit.client)
    const scopes = new Set([...scopesIn(known?.scopes ?? ''), ...scopesIn(visit.scopes)])
    statements.admit({
      account: id,
      client: visit.client,
      client_name: visit.client_name,
      scopes: [...scopes].join(' '),
      created_at: known?.created_at ?? now,
      used_at: now,
    })
    return true
  }

  /** Stores an account, which is renewed if it is connected already, and admits the app of the page. */
  connect(
    visit: VisitRow,
    { id: account, label, scopes }: NewAccount,
    sealed: string,
    max: number,
    now: number,
  ): Connected {
    const { statements } = this.#tables
    const others = statements.accountsOf(visit.connection)
    const known = others.find((row) => row.account === account)
    const live = others.filter(({ sealed }) => sealed !== null)
    if (known?.sealed == null && live.length >= max) return 'too-many'
    const columns = {
      label: cleanLabel(label) || cleanLabel(account) || visit.connection,
      sealed,
      sealed_at: now,
      scopes: scopes.join(' '),
    }
    const id = known?.id ?? randomId()
    if (known !== undefined) statements.changeAccount(id, columns)
    else {
      const { connection } = visit
      const times = { created_at: now, used_at: now }
      statements.addAccount({
        id,
        connection,
        account,
        own_label: null,
        is_default: 0,
        ...columns,
        ...times,
      })
    }
    return this.admit(visit, id, now) ? 'connected' : 'fewer-scopes'
  }

  list(): readonly AccountView[] {
    const { existing } = this.#tables
    return (existing?.accounts() ?? []).map((row) => ({
      key: row.id,
      connection: row.connection,
      id: row.account,
      label: labelOf(row),
      scopes: scopesIn(row.scopes),
      isDefault: row.is_default === 1,
      hasEnded: row.sealed === null,
      createdAt: row.created_at,
      usedAt: row.used_at,
      apps: (existing?.admissionsOf(row.id) ?? []).map((app) => ({
        client: app.client,
        name: app.client_name,
        scopes: scopesIn(app.scopes),
        usedAt: app.used_at,
      })),
    }))
  }

  change(id: string, { label, isDefault }: AccountChange): boolean {
    const { existing } = this.#tables
    const row = existing?.account(id)
    if (existing === undefined || row === undefined) return false
    if (label !== undefined) existing.changeAccount(id, { own_label: cleanLabel(label) || null })
    if (isDefault === undefined) return true
    for (const { id: other } of existing.accountsOf(row.connection)) {
      existing.changeAccount(other, { is_default: isDefault && other === id ? 1 : 0 })
    }
    return true
  }

  #usable(connection: string, client: string, scopes: readonly string[]): readonly AccountRow[] {
    return (this.#tables.existing?.accountsOf(connection) ?? []).filter((row) => {
      const admission = this.#admission(row, client)
      return (
        row.sealed !== null &&
        admission !== undefined &&
        includesAll(admission.scopes, scopes) &&
        includesAll(row.scopes, scopes)
      )
    })
  }

  #admission({ id }: AccountRow, client: string) {
    return this.#tables.existing?.admission(id, client)
  }
}
