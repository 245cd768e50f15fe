/** Refreshing: rotation, the grace for a lost answer, and what reuse ends. */
import type { AccountLimits, RefreshState, Refused } from '../../src/ports/accounts.ts'
import type { GrantStateText, IssuedGrantText, RefreshText } from './account-rpc.ts'
import type { AccountStorage } from './account-storage.ts'
import {
  decideRefresh,
  grantStatus,
  narrowScopes,
  type Presented,
  type RefreshDecision,
} from './decide-refresh.ts'
import {
  decryptProps,
  encryptProps,
  type GrantKey,
  unwrapGrantKey,
  wrapGrantKey,
} from './grant-key.ts'
import { endGrant, isLive, prolonged, renewed } from './grant-life.ts'
import { issuedGrant } from './issued-grant.ts'
import { SecretFamily } from './refresh-secret.ts'
import { invalidGrant, isRefused } from './refused.ts'
import type { GrantRow } from './schema.ts'

const REUSED = invalidGrant('refresh token reused: the grant is revoked')

/** What needs the secrets is made before the grant is looked at again, and changed in one step. */
export async function refresh(
  storage: AccountStorage,
  input: RefreshText,
  limits: AccountLimits,
): Promise<IssuedGrantText | Refused> {
  const presented = await present(storage, input.grantId, input.refreshSecret)
  if (isRefused(presented)) return presented
  const first = judge(storage, presented, input, limits)
  if (isRefused(first)) return first
  if (first.does === 'reuse') return reused(storage, first.row)
  const { successor: secret } = presented
  const key = await openKey(first, presented)
  const { id } = first.row
  const wrapped = await wrapGrantKey(key, secret, id)
  const newProps =
    input.newProps === undefined ? undefined : await encryptProps(input.newProps, key, id)
  const props = newProps === undefined ? await propsOf(first.row, key) : input.newProps

  const judged = judge(storage, presented, input, limits)
  if (isRefused(judged)) return judged
  if (judged.does === 'reuse') return reused(storage, judged.row)
  const { row, does } = judged
  const now = Date.now()
  const { dpopJkt } = input
  // A refresh token of a public client is bound to the first key it is shown (RFC 9449 §5).
  const isPublic = JSON.parse(row.client).authMethod === 'none'
  const bound = row.dpop_jkt ?? (isPublic ? (dpopJkt ?? null) : null)
  const redeemedBy = row.redeemed_by ?? ''
  const renewal =
    does === 'rotate'
      ? renewed(row, { secret, wrapped, dpopJkt: bound, redeemedBy }, limits, now)
      : undefined
  storage.change((statements) => {
    if (renewal !== undefined) statements.renewGrant(id, renewal)
    else statements.prolongGrant(id, prolonged(row, limits, now))
    if (newProps !== undefined) statements.setProps(id, newProps)
  })
  const scopes = narrowScopes(row, input.scopes) ?? []
  return issuedGrant({ ...row, ...renewal }, { scopes, dpopJkt, key, props, secret })
}

/** What `refresh` would go by, at this moment. */
export async function peekRefresh(
  storage: AccountStorage,
  input: RefreshText,
  limits: AccountLimits,
): Promise<GrantStateText | undefined> {
  const presented = await present(storage, input.grantId, input.refreshSecret)
  if (isRefused(presented)) return undefined
  const judged = judge(storage, presented, input, limits)
  if (isRefused(judged) || judged.does === 'reuse') return undefined
  const { row, does } = judged
  return {
    grantId: row.id,
    subject: row.subject,
    client: JSON.parse(row.client),
    resource: row.resource,
    scopes: narrowScopes(row, input.scopes) ?? [],
    props: await propsOf(row, await openKey(judged, presented)),
    repeats: does === 'repeat',
  }
}

/** Of any secret that was ever this grant's, while there is a grant. */
export async function inspectRefresh(
  storage: AccountStorage,
  grantId: string,
  refreshSecret: string,
  { refreshGraceMs }: AccountLimits,
): Promise<RefreshState | undefined> {
  const presented = await present(storage, grantId, refreshSecret)
  if (isRefused(presented)) return undefined
  const now = Date.now()
  const row = storage.existing?.grant(grantId)
  if (!isLive(row, now)) return undefined
  const standing = grantStatus(row, presented, refreshGraceMs, now)
  if (standing === 'unknown') return undefined
  return {
    active: standing !== 'spent' && now < row.refresh_until,
    clientId: JSON.parse(row.client).id,
    scopes: JSON.parse(row.scopes),
    expiresAt: row.refresh_until,
  }
}

async function present(
  storage: AccountStorage,
  grantId: string,
  refreshSecret: string,
): Promise<Presented | Refused> {
  const { existing } = storage
  const row = existing?.grant(grantId)
  if (!isLive(row, Date.now())) {
    const isRevoked = existing?.isRevoked(grantId) ?? false
    return invalidGrant(isRevoked ? 'grant was revoked' : 'no such grant')
  }
  const family = await SecretFamily.open(row.family_key)
  const secret = await family.read(refreshSecret)
  if (secret === undefined) return invalidGrant('no such refresh token')
  return { secret, successor: await family.successor(secret) }
}

function judge(
  storage: AccountStorage,
  presented: Presented,
  input: RefreshText,
  { refreshGraceMs }: AccountLimits,
): RefreshDecision {
  const row = storage.existing?.grant(input.grantId)
  return decideRefresh(row, presented, input, refreshGraceMs, Date.now())
}

/** It lies under the newest secret, which is the successor where the one at hand was spent. */
function openKey(
  { does, row }: Exclude<RefreshDecision, Refused>,
  { secret, successor }: Presented,
): Promise<GrantKey> {
  return unwrapGrantKey(row.wrapped_key, does === 'rotate' ? secret : successor, row.id)
}

async function propsOf(row: GrantRow, key: GrantKey): Promise<string | undefined> {
  return (await decryptProps(row.props, key, row.id))?.json
}

function reused(storage: AccountStorage, row: GrantRow): Refused {
  storage.change((statements) => endGrant(statements, row, Date.now()))
  return REUSED
}
