/** What becomes of a code that is handed in: a pure decision over its grant, the request and the time. */
import type { CodeRedemption, Refused } from '../../src/ports/accounts.ts'
import { invalidGrant, invalidTarget } from './refused.ts'
import type { GrantRow } from './schema.ts'

export type CodeDecision =
  | Refused
  /** `repeat`: the very call that has redeemed it; `replay`: another one, which should not have it. */
  | { readonly does: 'redeem' | 'repeat' | 'replay'; readonly row: GrantRow }

/**
 * Everything that the request says is compared before its code counts as used or replayed: who has
 * only half of it can neither spend it nor end what it gave.
 */
export function decideCodeRedemption(
  row: GrantRow | undefined,
  { clientId, redirectUri, verifierChallenge, resource, dpopJkt }: CodeRedemption,
  attempt: string,
  now: number,
): CodeDecision {
  if (row === undefined) return invalidGrant('no such code')
  if (now >= row.due_at) return invalidGrant('code or grant expired')
  if (JSON.parse(row.client).id !== clientId) return invalidGrant('code of another client')
  if (redirectUri !== undefined && redirectUri !== row.redirect_uri) {
    return invalidGrant('code for another redirect URI')
  }
  if (verifierChallenge !== row.code_challenge) return invalidGrant('wrong code verifier')
  if (row.code_jkt !== null && dpopJkt !== row.code_jkt) {
    return invalidGrant('code bound to another DPoP key')
  }
  if (resource !== undefined && resource !== row.resource) {
    return invalidTarget('code for another resource')
  }
  if (row.state === 'pending') return { does: 'redeem', row }
  const isSame = row.redeemed_by === attempt && row.generation === 0
  return { does: isSame ? 'repeat' : 'replay', row }
}
