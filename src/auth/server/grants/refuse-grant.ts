/** Refused grants: the reason goes to telemetry, the OAuth error to the client. */
import type { GrantRefusalReason } from '../../../ports/grant-refusal.ts'
import type { Refused } from '../../../ports/grant-tokens.ts'
import type { TelemetrySink } from '../../../ports/telemetry.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { AuthorizationServer } from '../authorization-server.ts'

const MESSAGES: Readonly<Record<GrantRefusalReason, string>> = {
  'code-client-mismatch': 'The authorization code was issued to another client',
  'code-dpop-key-mismatch': 'The authorization code is bound to another DPoP key',
  'code-expired': 'The authorization code has expired',
  'code-redirect-uri-mismatch': 'The authorization code was issued for another redirect URI',
  'code-replayed': 'The authorization code was used before, so its grant was revoked',
  'code-resource-mismatch': 'The authorization code was issued for another resource',
  'code-unknown': 'The authorization code does not exist',
  'code-verifier-mismatch': 'The PKCE verifier does not match the code challenge',
  'grant-revoked': 'The grant was revoked',
  'grant-unknown': 'The grant does not exist',
  'person-not-allowed': 'The person may not use the server any more',
  'refresh-token-client-mismatch': 'The refresh token was issued to another client',
  'refresh-token-dpop-key-mismatch': 'The refresh token is bound to another DPoP key',
  'refresh-token-expired': 'The refresh token has expired',
  'refresh-token-resource-mismatch': 'The refresh token was issued for another resource',
  'refresh-token-reused': 'The refresh token was used before, so its grant was revoked',
  'refresh-token-unknown': 'The refresh token does not exist',
  'scope-not-granted': 'The request asks for a scope that was not granted',
  'upstream-sign-in-ended': 'The upstream provider ended the sign-in, so the grant was revoked',
}

/** One error for every fault of a code or refresh token, so that it discloses nothing about the grant. */
export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The grant is invalid, expired, used or revoked')
}

export function reportRefusal(report: TelemetrySink, { refused, reason }: Refused): void {
  report({ type: 'grant-refused', error: refused, reason, message: MESSAGES[reason] ?? reason })
}

/** Reports why a grant was refused and drops the cached tokens of a revoked one. Returns the error for the client. */
export function refuseGrant(
  { report, evictGrant }: AuthorizationServer,
  { refused, reason, revoked }: Refused,
): OAuthError {
  if (revoked !== undefined) evictGrant(revoked)
  reportRefusal(report, { refused, reason })
  switch (refused) {
    case 'invalid_scope':
      return new OAuthError('invalid_scope', 'A refresh cannot ask for more than was granted')
    case 'invalid_target':
      return new OAuthError('invalid_target', 'The grant is for another resource')
    case 'invalid_grant':
      return invalidGrant()
    default:
      // The account runs a newer version than this Worker, which may answer the next request.
      return new OAuthError('temporarily_unavailable', 'The grant cannot be checked at the moment')
  }
}
