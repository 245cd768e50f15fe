/**
 * What the authorization server keeps of a person: one object each, with the grants that the person
 * has approved, their codes and refresh tokens, and the consents that are remembered.
 */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { DocumentStore } from './documents.ts'
import type { GrantRefusalReason } from './grant-refusal.ts'

export interface GrantClient {
  readonly id: string
  readonly name: string | undefined
  /** `client_uri`, or the host of the document's URL. */
  readonly uri: string | undefined
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  readonly secretHash?: string
}

/** What a person has approved. */
export interface NewGrant<Props = GrantProps> {
  readonly subject: string
  readonly client: GrantClient
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** S256. */
  readonly codeChallenge: string
  /** `dpop_jkt` of the authorization request. */
  readonly dpopJkt: string | undefined
  /** Encrypted at rest under a key that only issued tokens carry. */
  readonly props: Props | undefined
  /** Whether to keep the consent, for this client, redirect, resource and these scopes. */
  readonly remember: boolean
}

/** What tokens are made of. */
export interface IssuedGrant<Props = GrantProps> {
  readonly grantId: string
  readonly subject: string
  readonly client: GrantClient
  readonly resource: string
  /** Of this issuance: the granted ones, or as many of them as were asked for. */
  readonly scopes: readonly string[]
  /** The key that these tokens are bound to. */
  readonly dpopJkt: string | undefined
  readonly props: Props | undefined
  /** Opens the props; sealed into tokens by the caller. */
  readonly grantKey: string
  readonly refreshSecret: string | undefined
  /** Epoch milliseconds. */
  readonly refreshExpiresAt: number | undefined
}

export interface CodeRedemption {
  readonly codeSecret: string
  readonly clientId: string
  /** Undefined where the client sent none: compared only when given. @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-10.2 */
  readonly redirectUri: string | undefined
  /** S256 of the code verifier. */
  readonly verifierChallenge: string
  readonly resource: string | undefined
  /** The thumbprint of the key whose proof came with the request. */
  readonly dpopJkt: string | undefined
  /**
   * Idempotency key: the same redemption repeated under the same key is answered the same again,
   * instead of counting as a replay. Default: a new one per call.
   */
  readonly attempt?: string | undefined
}

export interface RefreshRequest<Props = GrantProps> {
  readonly grantId: string
  readonly refreshSecret: string
  readonly clientId: string
  /** Some of the granted ones, never more; undefined for all. */
  readonly scopes: readonly string[] | undefined
  readonly resource: string | undefined
  readonly dpopJkt: string | undefined
  /** Replaces the props. */
  readonly newProps?: Props | undefined
}

export interface Refused {
  readonly refused: 'invalid_grant' | 'invalid_scope' | 'invalid_target'
  /** For telemetry; never sent to the client. */
  readonly reason: GrantRefusalReason
}

export interface GrantSummary {
  readonly grantId: string
  readonly client: Pick<GrantClient, 'id' | 'name' | 'uri'>
  readonly resource: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds, to the minute. */
  readonly lastUsedAt: number
}

/** What a refresh would be for. */
export interface GrantState<Props = GrantProps> {
  readonly grantId: string
  readonly subject: string
  readonly client: GrantClient
  readonly resource: string
  readonly scopes: readonly string[]
  readonly props: Props | undefined
  /** Whether the secret was spent a moment ago, so that its successor would be given again. */
  readonly repeats: boolean
}

export interface RefreshState {
  readonly active: boolean
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** @typeParam Props how props are represented: objects, or their JSON text where the call crosses to the account object */
export interface Account<Props = GrantProps> {
  /**
   * Writes the grant, pending until its code is redeemed, and one code.
   *
   * @throws {TypeError} for the grant of another subject, and for props that JSON cannot say
   * @throws {RangeError} for props that are too large
   */
  approve(grant: NewGrant<Props>): Promise<{
    readonly grantId: string
    readonly codeSecret: string
    readonly expiresAt: number
  }>
  /** Once per code: a second redemption with everything right revokes what the first one issued. */
  redeemCode(input: CodeRedemption): Promise<IssuedGrant<Props> | Refused>
  /**
   * Rotates. The same old secret gives the same successor within the grace; later, and when the
   * successor has itself been used, it revokes the grant.
   */
  refresh(input: RefreshRequest<Props>): Promise<IssuedGrant<Props> | Refused>
  /** What a refresh would be answered with, without any effect; undefined where it would be refused. */
  peekRefresh(input: RefreshRequest<Props>): Promise<GrantState<Props> | undefined>
  /**
   * Replaces the props; false where the grant is gone or the key does not open it.
   *
   * @throws {TypeError} and {RangeError} as `approve` does
   */
  setProps(grantId: string, grantKey: string, props: Props): Promise<boolean>
  /** Whether tokens of this grant are good; with the props, opened with the key that the token carries. */
  check(
    grantId: string,
    grantKey: string | undefined,
  ): Promise<{ readonly active: boolean; readonly props?: Props | undefined }>
  /** Ends a grant; false where there was none. Who may do this is for the caller to know. */
  revoke(grantId: string): Promise<boolean>
  /** A refresh token's state, without effect; undefined where the secret was never one of this grant's. */
  inspectRefresh(grantId: string, refreshSecret: string): Promise<RefreshState | undefined>
  /** Newest first. */
  grants(): Promise<readonly GrantSummary[]>
  /** Whether this person has approved exactly this before, all of these scopes, and to be remembered. */
  remembers(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ): Promise<boolean>
  forgetConsents(clientId: string): Promise<void>
}

/** Slows down guessing. */
export interface Throttle {
  /**
   * A guess under a key. Whether it was right may be told only where it is allowed. Wrong ones count;
   * a right one counts for nothing and excuses nothing, and what is refused counts for nothing.
   */
  guess(
    key: string,
    right: boolean,
  ): Promise<{ readonly allowed: boolean; readonly retryAfterSeconds: number }>
}

export interface Accounts {
  of(subject: string): Account
  /**
   * The account of a name out of one of our own sealed tokens.
   *
   * @throws {TypeError} for what no name looks like
   */
  byName(name: string): Account
  nameOf(subject: string): Promise<string>
  readonly throttle: Throttle
  readonly documents: DocumentStore
}

/** Bounds of accounts. Durations in milliseconds. */
export interface AccountLimits {
  /** How long a code may be redeemed. Default 60 s. */
  readonly codeTtlMs: number
  /** How long an access token lives: what is revoked is remembered as long. Default 24 h, at most 30 days. */
  readonly accessTtlMs: number
  /** How long after a refresh its response may be asked for again. Default 30 s. */
  readonly refreshGraceMs: number
  /** How long a grant lives without a refresh. Default 60 days, at most 90. */
  readonly refreshIdleMs: number
  /** How long a grant lives at all. Default 365 days. */
  readonly grantLifetimeMs: number
  /** How long a consent is remembered after it was last given. Default 365 days. */
  readonly consentTtlMs: number
  /** One more ends the one that has been used least recently; approvals not redeemed are counted apart. Default 200. */
  readonly grantsPerAccount: number
  /** Failures that a key has free in a window. Default 10. */
  readonly throttleFailures: number
  /** Default 15 minutes. */
  readonly throttleWindowMs: number
  /** The wait after that many failures; it doubles with each that follows. Default 15 s. */
  readonly throttleFirstWaitMs: number
  /** Default 15 minutes. */
  readonly throttleLongestWaitMs: number
}
