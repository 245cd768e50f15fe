/** Decides the outcome of a refresh. Pure: takes the grant's row, the refresh token, the request and the time. */
import type { RefreshRequest, Refused } from '../../src/ports/grant-tokens.ts'
import { invalidGrant, invalidScope, invalidTarget } from './grant-expiry.ts'
import type { RefreshSecret } from './grant-secrets.ts'
import { clientOf, scopesOf } from './row-json.ts'
import type { GrantRow } from './schema.ts'

/** The secret that a client presented, authenticated as one of the grant's family, and its successor. */
export interface PresentedSecret {
  readonly secret: RefreshSecret
  readonly successor: RefreshSecret
}

export type RefreshDecision =
  | Refused
  /**
   * `rotate`: the newest token, which is replaced. `repeat`: its successor was issued within the
   * grace and is issued again. `reuse`: a rotated token, which revokes the grant.
   */
  | { readonly action: 'rotate' | 'repeat' | 'reuse'; readonly row: GrantRow }

/**
 * `newest`: valid. `rotated`: replaced within the grace, and its successor is unused. `spent`:
 * replaced before the grace, or its successor is used. `unknown`: never issued.
 */
type RefreshTokenStatus = 'newest' | 'rotated' | 'spent' | 'unknown'

export function refreshTokenStatus(
  { generation, refresh_hash, rotated_at }: GrantRow,
  { secret, successor }: PresentedSecret,
  graceMs: number,
  now: number,
): RefreshTokenStatus {
  if (secret.generation > generation) return 'unknown'
  if (secret.generation === generation) return secret.digest === refresh_hash ? 'newest' : 'unknown'
  const isSuccessorNewest = successor.generation === generation && successor.digest === refresh_hash
  return isSuccessorNewest && now < rotated_at + graceMs ? 'rotated' : 'spent'
}

/**
 * Compares every parameter of the request before the token counts as used or reused.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-4.3.1
 */
export function decideRefresh(
  row: GrantRow | undefined,
  presented: PresentedSecret,
  { clientId, scopes, resource, dpopJkt }: RefreshRequest<string>,
  graceMs: number,
  now: number,
): RefreshDecision {
  if (row === undefined) return invalidGrant('grant-unknown')
  if (now >= row.refresh_until) return invalidGrant('refresh-token-expired')
  const client = clientOf(row)
  if (client.id !== clientId) return invalidGrant('refresh-token-client-mismatch')
  // Tokens of a confidential client are bound by its authentication, so it may change its key
  // (RFC 9449 §5): their row has no key.
  if (row.dpop_jkt !== null && dpopJkt !== row.dpop_jkt) {
    return invalidGrant('refresh-token-dpop-key-mismatch')
  }
  if (resource !== undefined && resource !== row.resource) {
    return invalidTarget('refresh-token-resource-mismatch')
  }
  if (narrowScopes(row, scopes) === undefined) return invalidScope('scope-not-granted')
  switch (refreshTokenStatus(row, presented, graceMs, now)) {
    case 'newest':
      return { action: 'rotate', row }
    case 'rotated':
      return { action: 'repeat', row }
    case 'spent':
      return { action: 'reuse', row }
    case 'unknown':
      return invalidGrant('refresh-token-unknown')
  }
}

/** The granted scopes that were requested, all of them by default; undefined when more is requested. */
export function narrowScopes(
  row: GrantRow,
  requested: readonly string[] | undefined,
): readonly string[] | undefined {
  const granted = scopesOf(row)
  if (requested === undefined) return granted
  if (requested.some((scope) => !granted.includes(scope))) return undefined
  return granted.filter((scope) => requested.includes(scope))
}
