/** What is asked of grants that are there: whether they are good, which there are, and their end. */
import type { GrantSummary } from '../../src/ports/accounts.ts'
import type { Checked } from './account-rpc.ts'
import type { AccountStorage } from './account-storage.ts'
import { decryptProps, encryptProps, readGrantKey } from './grant-key.ts'
import { endGrant, isLive } from './grant-life.ts'
import type { GrantRow } from './schema.ts'

/** A grant is checked every second while it is used, and written to once in this time. */
const LAST_USE_MS = 60_000

const INACTIVE: Checked = { active: false, props: undefined }

/** A key that does not open it is not of one of its tokens. */
export async function checkGrant(
  storage: AccountStorage,
  grantId: string,
  grantKey: string | undefined,
): Promise<Checked> {
  const now = Date.now()
  const row = storage.existing?.grant(grantId)
  if (!isLive(row, now)) return INACTIVE
  if (grantKey === undefined) return { active: true, props: undefined }
  const opened = await openProps(row, grantKey)
  if (opened === undefined) return INACTIVE
  if (now - row.last_used_at >= LAST_USE_MS) {
    storage.changeExisting((statements) => statements.touchGrant(grantId, now))
  }
  return { active: true, props: opened.json }
}

/** False where the grant is gone, or the key is another's. */
export async function setProps(
  storage: AccountStorage,
  grantId: string,
  grantKey: string,
  props: string,
): Promise<boolean> {
  const row = storage.existing?.grant(grantId)
  const key = readGrantKey(grantKey)
  if (!isLive(row, Date.now()) || key === undefined) return false
  if ((await decryptProps(row.props, key, grantId)) === undefined) return false
  const encrypted = await encryptProps(props, key, grantId)
  if (!isLive(storage.existing?.grant(grantId), Date.now())) return false
  storage.change((statements) => statements.setProps(grantId, encrypted))
  return true
}

/** Whether there was one to end. */
export function revokeGrant(storage: AccountStorage, grantId: string): boolean {
  const row = storage.existing?.grant(grantId)
  const now = Date.now()
  if (row === undefined || now >= row.due_at) return false
  storage.change((statements) => endGrant(statements, row, now))
  return true
}

/** Newest first; what is pending is nobody's yet. */
export function listGrants(storage: AccountStorage): GrantSummary[] {
  const rows = storage.existing?.liveGrants(Date.now()) ?? []
  return rows.map((row) => {
    const { id, name, uri } = JSON.parse(row.client)
    return {
      grantId: row.id,
      client: { id, name, uri },
      resource: row.resource,
      scopes: JSON.parse(row.scopes),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }
  })
}

async function openProps(row: GrantRow, grantKey: string) {
  const key = readGrantKey(grantKey)
  return key && decryptProps(row.props, key, row.id)
}
