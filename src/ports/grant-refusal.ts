/** Why the token endpoint refused a grant. For telemetry: the client receives the OAuth error alone. */

/** The reasons of refused codes, refresh tokens and their grants. `docs/reference/reasons.md` explains each. */
export type GrantRefusalReason =
  | 'code-client-mismatch'
  | 'code-dpop-key-mismatch'
  | 'code-expired'
  | 'code-redirect-uri-mismatch'
  | 'code-replayed'
  | 'code-resource-mismatch'
  | 'code-unknown'
  | 'code-verifier-mismatch'
  | 'grant-revoked'
  | 'grant-unknown'
  | 'person-not-allowed'
  | 'refresh-token-client-mismatch'
  | 'refresh-token-dpop-key-mismatch'
  | 'refresh-token-expired'
  | 'refresh-token-resource-mismatch'
  | 'refresh-token-reused'
  | 'refresh-token-unknown'
  | 'scope-not-granted'
  | 'upstream-sign-in-ended'
