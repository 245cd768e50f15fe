/**
 * The authorization codes and refresh tokens of a grant: how a client presents them, and what the account
 * answers.
 *
 * Times are epoch milliseconds unless a name says otherwise.
 */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { GrantClient, GrantedAccess } from './grant.ts'
import type { GrantRefusalReason } from './grant-refusal.ts'
import type { RenewalLease } from './renewal-lease.ts'

export interface CodeRedemption {
  readonly codeSecret: string
  readonly clientId: string
  /** Compared only when the client sent it. @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-10.2 */
  readonly redirectUri: string | undefined
  /** The S256 challenge computed from the code verifier. */
  readonly verifierChallenge: string
  /** Compared only when the client sent it. @see https://www.rfc-editor.org/rfc/rfc8707#section-2.2 */
  readonly resource: string | undefined
  /** Thumbprint of the key of the DPoP proof of this request. */
  readonly dpopJkt: string | undefined
  /**
   * Idempotency key. The same redemption repeated under the same key returns the same grant instead
   * of counting as a replay. Default: a new key per call.
   */
  readonly attempt?: string | undefined
}

export interface RefreshRequest<Props = GrantProps> {
  readonly grantId: string
  readonly refreshSecret: string
  readonly clientId: string
  /** A subset of the granted scopes; undefined for all of them. */
  readonly scopes: readonly string[] | undefined
  /** Compared only when the client sent it. */
  readonly resource: string | undefined
  /** Thumbprint of the key of the DPoP proof of this request. */
  readonly dpopJkt: string | undefined
  /** Replaces the props of the grant. */
  readonly newProps?: Props | undefined
  /**
   * The version of the props that the new ones were made from. The new props are dropped when the
   * grant has others by now: those of a concurrent refresh. Default: they replace any others.
   */
  readonly propsVersion?: string | undefined
  /** The lease that a peek takes or ends. A refresh ignores it. */
  readonly renewal?: RenewalLease | undefined
}

/** The content of the tokens to issue. */
export interface IssuedGrant<Props = GrantProps> extends GrantedAccess<Props> {
  readonly grantId: string
  /** Scopes of this issuance: all granted ones, or those of them that were requested. */
  readonly scopes: readonly string[]
  /** Thumbprint of the key that these tokens are bound to. */
  readonly dpopJkt: string | undefined
  /** Decrypts the props. The caller seals it into the tokens. */
  readonly grantKey: string
  readonly refreshSecret: string | undefined
  readonly refreshExpiresAt: number | undefined
  /** The end of the grant. */
  readonly expiresAt: number
}

export interface Refused {
  readonly refused: 'invalid_grant' | 'invalid_scope' | 'invalid_target'
  /** For telemetry; never sent to the client. */
  readonly reason: GrantRefusalReason
  /** The id of the grant that this request has revoked. */
  readonly revoked?: string
}

/** The state of a refresh token, for introspection and revocation. */
export interface RefreshState {
  readonly active: boolean
  readonly subject: string
  readonly client: GrantClient
  readonly scopes: readonly string[]
  readonly expiresAt: number
}
