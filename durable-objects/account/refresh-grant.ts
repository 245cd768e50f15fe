/** Refreshes a grant: rotation, the grace for a lost answer, revocation on reuse. Also previews and inspects refresh tokens. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { GrantState } from '../../src/ports/grant.ts'
import type {
  IssuedGrant,
  RefreshRequest,
  RefreshState,
  Refused,
} from '../../src/ports/grant-tokens.ts'
import type { AccountStorage } from './account-storage.ts'
import {
  decideRefresh,
  narrowScopes,
  type PresentedSecret,
  type RefreshDecision,
  refreshTokenStatus,
} from './decide-refresh.ts'
import {
  endReplayed,
  invalidGrant,
  isLive,
  isRefused,
  timesAfterAccess,
  timesAfterRotation,
} from './grant-expiry.ts'
import { encryptProps, type GrantKey, unwrapGrantKey, wrapGrantKey } from './grant-key.ts'
import { RefreshTokenFamily } from './grant-secrets.ts'
import { openProps, versionOfProps } from './renewed-props.ts'
import { clientOf, identityOf, issuedGrant, scopesOf } from './row-json.ts'
import type { GrantRow } from './schema.ts'

type Accepted = Exclude<RefreshDecision, Refused>

/**
 * Decides twice: before the cryptography, to know which keys are needed, and after it, on the grant
 * as it is then. Between the second decision and its write nothing is awaited.
 */
export async function refreshGrant(
  storage: AccountStorage,
  input: RefreshRequest<string>,
  limits: AccountLimits,
): Promise<IssuedGrant<string> | Refused> {
  const presented = await readSecret(storage, input.grantId, input.refreshSecret)
  if (isRefused(presented)) return presented
  const first = decide(storage, presented, input, limits)
  if (isRefused(first)) return first
  if (first.action === 'reuse') return endReplayed(storage, first.row, 'refresh-token-reused')
  const { id } = first.row
  const { successor: secret } = presented
  const key = await unwrapKey(first, presented)
  const wrapped_key = await wrapGrantKey(key, secret, id)
  const version = versionOfProps(first.row)
  const isCurrent = (input.propsVersion ?? version) === version
  const newText = isCurrent ? input.newProps : undefined
  const newProps = newText && (await encryptProps(newText, key, id))
  const props = newText ?? (await propsOf(first.row, key))

  const decision = decide(storage, presented, input, limits)
  if (isRefused(decision)) return decision
  const { row, action } = decision
  if (action === 'reuse') return endReplayed(storage, row, 'refresh-token-reused')
  // A concurrent request has written other props.
  if (versionOfProps(row) !== version) return refreshGrant(storage, input, limits)
  const now = Date.now()
  const { dpopJkt } = input
  // The first proof binds the refresh tokens of a public client (RFC 9449 §5).
  const isPublic = clientOf(row).authMethod === 'none'
  const changes =
    action === 'repeat'
      ? timesAfterAccess(row, limits, now)
      : {
          ...timesAfterRotation(row, limits, now),
          generation: secret.generation,
          refresh_hash: secret.digest,
          dpop_jkt: row.dpop_jkt ?? (isPublic ? (dpopJkt ?? null) : null),
          wrapped_key,
        }
  storage.write((statements) => {
    statements.updateGrant(
      id,
      newProps ? { ...changes, props: newProps, renewed_props: null } : changes,
    )
  })
  const scopes = narrowScopes(row, input.scopes) ?? []
  return issuedGrant({ ...row, ...changes }, { scopes, dpopJkt, key, props, secret })
}

/** What {@link refreshGrant} would decide now. Undefined when it would refuse or revoke. */
export async function peekRefresh(
  storage: AccountStorage,
  input: RefreshRequest<string>,
  limits: AccountLimits,
): Promise<GrantState<string> | undefined> {
  const presented = await readSecret(storage, input.grantId, input.refreshSecret)
  if (isRefused(presented)) return undefined
  const decision = decide(storage, presented, input, limits)
  if (isRefused(decision) || decision.action === 'reuse') return undefined
  const { row, action } = decision
  const key = await unwrapKey(decision, presented)
  return {
    ...identityOf(row),
    scopes: narrowScopes(row, input.scopes) ?? [],
    props: await propsOf(row, key),
    ...(input.renewal && { grantKey: key.text }),
    propsVersion: versionOfProps(row),
    isRepeat: action === 'repeat',
  }
}

/** The state of any token of a live grant's family, rotated ones included. */
export async function inspectRefresh(
  storage: AccountStorage,
  grantId: string,
  refreshSecret: string,
  { refreshGraceMs }: AccountLimits,
): Promise<RefreshState | undefined> {
  const presented = await readSecret(storage, grantId, refreshSecret)
  if (isRefused(presented)) return undefined
  const now = Date.now()
  const row = storage.existing?.grant(grantId)
  if (!isLive(row, now)) return undefined
  const status = refreshTokenStatus(row, presented, refreshGraceMs, now)
  if (status === 'unknown') return undefined
  return {
    active: status !== 'spent' && now < row.refresh_until,
    subject: row.subject,
    client: clientOf(row),
    scopes: scopesOf(row),
    expiresAt: row.refresh_until,
  }
}

async function readSecret(
  storage: AccountStorage,
  grantId: string,
  refreshSecret: string,
): Promise<PresentedSecret | Refused> {
  const { existing } = storage
  const row = existing?.grant(grantId)
  if (!isLive(row, Date.now())) {
    const isRevoked = existing?.isRevoked(grantId) ?? false
    return invalidGrant(isRevoked ? 'grant-revoked' : 'grant-unknown')
  }
  const family = await RefreshTokenFamily.open(row.family_key)
  const secret = await family.read(refreshSecret)
  if (secret === undefined) return invalidGrant('refresh-token-unknown')
  return { secret, successor: await family.successor(secret) }
}

function decide(
  storage: AccountStorage,
  presented: PresentedSecret,
  input: RefreshRequest<string>,
  { refreshGraceMs }: AccountLimits,
): RefreshDecision {
  const row = storage.existing?.grant(input.grantId)
  return decideRefresh(row, presented, input, refreshGraceMs, Date.now())
}

/** The key is wrapped under the newest secret: on a repeat that is the successor of the presented one. */
function unwrapKey(
  { action, row }: Accepted,
  { secret, successor }: PresentedSecret,
): Promise<GrantKey> {
  return unwrapGrantKey(row.wrapped_key, action === 'rotate' ? secret : successor, row.id)
}

async function propsOf(row: GrantRow, key: GrantKey): Promise<string | undefined> {
  return (await openProps(row, key))?.json
}
