/** Decides the outcome of an authorization code redemption. Pure: takes the grant's row, the request and the time. */
import type { CodeRedemption, Refused } from '../../src/ports/grant-tokens.ts'
import { invalidGrant, invalidTarget } from './grant-expiry.ts'
import { clientOf } from './row-json.ts'
import type { GrantRow } from './schema.ts'

export type CodeDecision =
  | Refused
  /**
   * `redeem`: the first redemption. `repeat`: the same redemption delivered again, answered with the
   * same tokens. `replay`: a second redemption, which revokes the grant.
   */
  | { readonly action: 'redeem' | 'repeat' | 'replay'; readonly row: GrantRow }

/**
 * Compares every parameter of the request before the code counts as used or replayed. A client that
 * holds the code without the verifier can neither use the code nor revoke its grant.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-4.1.3
 */
export function decideCodeRedemption(
  row: GrantRow | undefined,
  { clientId, redirectUri, verifierChallenge, resource, dpopJkt, attempt }: CodeRedemption,
  now: number,
): CodeDecision {
  if (row === undefined) return invalidGrant('code-unknown')
  if (now >= row.due_at) return invalidGrant('code-expired')
  if (clientOf(row).id !== clientId) return invalidGrant('code-client-mismatch')
  if (redirectUri !== undefined && redirectUri !== row.redirect_uri) {
    return invalidGrant('code-redirect-uri-mismatch')
  }
  if (verifierChallenge !== row.code_challenge) return invalidGrant('code-verifier-mismatch')
  if (row.code_jkt !== null && dpopJkt !== row.code_jkt) {
    return invalidGrant('code-dpop-key-mismatch')
  }
  if (resource !== undefined && resource !== row.resource) {
    return invalidTarget('code-resource-mismatch')
  }
  if (row.state === 'pending') return { action: 'redeem', row }
  const isRepeat = attempt !== undefined && row.redeemed_by === attempt && row.generation === 0
  return { action: isRepeat ? 'repeat' : 'replay', row }
}
