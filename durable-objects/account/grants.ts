/** Operations on existing grants and personal access tokens: check, props and revocation. Also the list of grants. */
import type { Account } from '../../src/ports/accounts.ts'
import type { GrantSummary } from '../../src/ports/grant.ts'
import type { AccountStorage } from './account-storage.ts'
import { endGrant, isLive } from './grant-expiry.ts'
import { type DecryptedProps, encryptProps, readGrantKey } from './grant-key.ts'
import { revokePersonalToken } from './personal-tokens.ts'
import { encryptRenewed, openProps, type PropsColumns, versionOfProps } from './renewed-props.ts'
import { clientOf, scopesOf } from './row-json.ts'
import type { Statements } from './schema.ts'

/** Precision of `last_used_at`. A grant in use is checked every few seconds, and written once per this interval: a written row costs as much as a thousand that are read. */
const LAST_USE_PRECISION_MS = 60 * 60_000

/** A key that does not decrypt the props belongs to no token of this grant. */
export async function checkGrant(
  storage: AccountStorage,
  grantId: string,
  grantKey: string | undefined,
): ReturnType<Account<string>['check']> {
  const now = Date.now()
  const row = liveRow(storage.existing, grantId, now)
  if (row === undefined) return { active: false }
  if (grantKey === undefined) return { active: true }
  const decrypted = await propsUnder(row, grantKey)
  if (decrypted === undefined) return { active: false }
  if (now - (row.last_used_at ?? 0) >= LAST_USE_PRECISION_MS) {
    storage.writeIfExists((statements) => updateRow(statements, grantId, { last_used_at: now }))
  }
  const definitionVersion = storage.existing?.definitionVersion(now)
  return {
    active: true,
    props: decrypted.json,
    propsVersion: versionOfProps(row),
    ...(definitionVersion !== undefined && { definitionVersion }),
  }
}

/** False when the grant is not live, the key is not one of its own, or the props have another version. */
export async function setProps(
  storage: AccountStorage,
  grantId: string,
  grantKey: string,
  props: string,
  propsVersion?: string,
): Promise<boolean> {
  const row = liveRow(storage.existing, grantId, Date.now())
  const key = readGrantKey(grantKey)
  if (row === undefined || key === undefined) return false
  if ((await openProps(row, key)) === undefined) return false
  const encrypted = await encryptProps(props, key, grantId)
  const present = liveRow(storage.existing, grantId, Date.now())
  if (present === undefined) return false
  if (propsVersion !== undefined && versionOfProps(present) !== propsVersion) return false
  storage.write((statements) =>
    updateRow(statements, grantId, { props: encrypted, renewed_props: null }),
  )
  return true
}

/** False when the grant is not live, or was not approved as renewable. */
export async function renewProps(
  storage: AccountStorage,
  grantId: string,
  props: string,
): Promise<boolean> {
  const row = liveRow(storage.existing, grantId, Date.now())
  if (row === undefined || row.public_key === null) return false
  const renewed_props = await encryptRenewed(props, row)
  const present = liveRow(storage.existing, grantId, Date.now())
  if (present === undefined) return false
  // A concurrent request has written other props, which the new ones are bound to.
  if (versionOfProps(present) !== versionOfProps(row)) return renewProps(storage, grantId, props)
  storage.write((statements) => updateRow(statements, grantId, { renewed_props }))
  return true
}

/** False when there is no such grant or token. Pending grants can be revoked too. */
export function revokeGrant(storage: AccountStorage, grantId: string): boolean {
  const row = storage.existing?.grant(grantId)
  const now = Date.now()
  if (row === undefined) return revokePersonalToken(storage, grantId, now)
  if (now >= row.due_at) return false
  storage.write((statements) => endGrant(statements, row, now))
  return true
}

/** Newest first. */
export function listGrants(storage: AccountStorage, pending = false): GrantSummary[] {
  const rows = storage.existing?.grantsAt(Date.now()) ?? []
  return rows.flatMap((row) => {
    const isPending = row.state === 'pending'
    if (isPending && !pending) return []
    const { id, name, uri } = clientOf(row)
    return {
      grantId: row.id,
      client: { id, name, uri },
      resource: row.resource,
      scopes: scopesOf(row),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      ...(isPending && { isPending }),
    }
  })
}

async function propsUnder(
  row: PropsColumns,
  grantKey: string,
): Promise<DecryptedProps | undefined> {
  const key = readGrantKey(grantKey)
  return key && openProps(row, key)
}

/** A row that access depends on: a grant or a personal access token, whose ids never coincide. */
type AccessRow = PropsColumns & { last_used_at: number | null }

/** Undefined when there is none, or when it has expired. */
function liveRow(
  statements: Statements | undefined,
  id: string,
  now: number,
): AccessRow | undefined {
  const grant = statements?.grant(id)
  if (grant !== undefined) return isLive(grant, now) ? grant : undefined
  const token = statements?.personalToken(id)
  return token !== undefined && now < token.due_at ? token : undefined
}

function updateRow(
  statements: Statements,
  id: string,
  changes: { last_used_at: number } | Partial<PropsColumns>,
): void {
  statements.updateGrant(id, changes)
  statements.updatePersonalToken(id, changes)
}
