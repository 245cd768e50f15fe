/** What becomes of a refresh: a pure decision over the grant, the secret, the request and the time. */
import type { GrantClient, RefreshRequest, Refused } from '../../src/ports/accounts.ts'
import type { RefreshSecret } from './refresh-secret.ts'
import { invalidGrant, invalidScope, invalidTarget } from './refused.ts'
import type { GrantRow } from './schema.ts'

/** A secret that has proven to be of the grant's family, and the one that follows it. */
export interface Presented {
  readonly secret: RefreshSecret
  readonly successor: RefreshSecret
}

export type RefreshDecision =
  | Refused
  /** `repeat`: the successor is given again; `reuse`: somebody has it who should not. */
  | { readonly does: 'rotate' | 'repeat' | 'reuse'; readonly row: GrantRow }

/**
 * `newest`: to be spent; `repeated`: spent a moment ago, and its successor was not; `spent`: longer
 * ago, or the successor was. `unknown` cannot be without the family's key.
 */
type Standing = 'newest' | 'repeated' | 'spent' | 'unknown'

export function grantStatus(
  { generation, refresh_hash, rotated_at }: GrantRow,
  { secret, successor }: Presented,
  graceMs: number,
  now: number,
): Standing {
  if (secret.generation > generation) return 'unknown'
  if (secret.generation === generation) {
    return secret.hash === refresh_hash ? 'newest' : 'unknown'
  }
  const isLast = successor.generation === generation && successor.hash === refresh_hash
  return isLast && now < rotated_at + graceMs ? 'repeated' : 'spent'
}

/** Everything that the request says is compared before its secret counts as used, or as used again. */
export function decideRefresh(
  row: GrantRow | undefined,
  presented: Presented,
  { clientId, scopes, resource, dpopJkt }: Omit<RefreshRequest, 'newProps'>,
  graceMs: number,
  now: number,
): RefreshDecision {
  if (row === undefined) return invalidGrant('grant is gone')
  if (now >= row.refresh_until) return invalidGrant('refresh token expired')
  const client: GrantClient = JSON.parse(row.client)
  if (client.id !== clientId) return invalidGrant('refresh token of another client')
  // A client that authenticates is known by that, and may change its key (RFC 9449 §5).
  if (row.dpop_jkt !== null && dpopJkt !== row.dpop_jkt) {
    return invalidGrant('refresh token bound to another DPoP key')
  }
  if (resource !== undefined && resource !== row.resource) {
    return invalidTarget('refresh token for another resource')
  }
  if (narrowScopes(row, scopes) === undefined) return invalidScope('more than was granted')
  switch (grantStatus(row, presented, graceMs, now)) {
    case 'newest':
      return { does: 'rotate', row }
    case 'repeated':
      return { does: 'repeat', row }
    case 'spent':
      return { does: 'reuse', row }
    case 'unknown':
      return invalidGrant('no such refresh token')
  }
}

/** Those of the granted scopes that are asked for; undefined where more is. */
export function narrowScopes(
  row: GrantRow,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  const granted: readonly string[] = JSON.parse(row.scopes)
  if (asked === undefined) return granted
  if (asked.some((scope) => !granted.includes(scope))) return undefined
  return granted.filter((scope) => asked.includes(scope))
}
