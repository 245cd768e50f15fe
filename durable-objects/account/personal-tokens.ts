/** The personal access tokens of an account: creation, list and end. Their checks are those of grants. */
import { sha256Base64Url } from '../../src/platform/digest.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { Account } from '../../src/ports/accounts.ts'
import type { GrantSummary } from '../../src/ports/grant.ts'
import { type NewPersonalToken, personalTokenClient } from '../../src/ports/personal-token.ts'
import type { AccountStorage } from './account-storage.ts'
import { encryptProps, readGrantKey } from './grant-key.ts'
import { publicKeyOf } from './renewed-props.ts'
import { scopesOf } from './row-json.ts'

/** @throws {TypeError} for a key that is not the base64url form of 32 bytes */
export async function createPersonalToken(
  storage: AccountStorage,
  token: NewPersonalToken<string>,
  { personalTokensPerAccount }: AccountLimits,
): ReturnType<Account['createPersonalToken']> {
  const key = readGrantKey(token.key)
  if (key === undefined) throw new TypeError('Not the key of a personal access token')
  const id = await sha256Base64Url(key.bytes)
  const props = await encryptProps(token.props, key, id)
  const public_key = token.renewable ? await publicKeyOf(key) : null
  const { name, resource, scopes, expiresAt } = token
  return storage.write((statements) => {
    const now = Date.now()
    statements.deleteDue(now)
    const tokens = statements.personalTokens()
    if (tokens.some((known) => known.name === name)) return { refused: 'name-taken' }
    // The least recently used one is not ended instead: the job that needs it would fail.
    if (tokens.length >= personalTokensPerAccount) return { refused: 'too-many' }
    statements.insertPersonalToken({
      id,
      name,
      resource,
      scopes: JSON.stringify(scopes),
      created_at: now,
      last_used_at: null,
      due_at: expiresAt,
      props,
      public_key,
      renewed_props: null,
    })
    return { tokenId: id }
  })
}

/** Newest first. */
export function listPersonalTokens({ existing }: AccountStorage): GrantSummary[] {
  const now = Date.now()
  const rows = existing?.personalTokens().filter(({ due_at }) => now < due_at) ?? []
  return rows.map((row) => ({
    grantId: row.id,
    client: { id: personalTokenClient(row.id), name: row.name, uri: undefined },
    resource: row.resource,
    scopes: scopesOf(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? row.created_at,
    personalToken: { expiresAt: row.due_at, isUsed: row.last_used_at !== null },
  }))
}

/** False when there is no such token. */
export function revokePersonalToken(
  storage: AccountStorage,
  tokenId: string,
  now: number,
): boolean {
  const row = storage.existing?.personalToken(tokenId)
  if (row === undefined || now >= row.due_at) return false
  storage.write((statements) => statements.deletePersonalToken(tokenId))
  return true
}
