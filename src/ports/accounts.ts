/**
 * The accounts of the authorization server. Each subject has one account: its grants with their
 * authorization codes and refresh tokens, its remembered consents, and the sign-ins that it has ended.
 *
 * Times are epoch milliseconds unless a name says otherwise.
 */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { DocumentStore } from './documents.ts'
import type { GrantCheck, GrantState, GrantSummary, NewGrant, PropsRenewal } from './grant.ts'
import type {
  CodeRedemption,
  IssuedGrant,
  RefreshRequest,
  RefreshState,
  Refused,
} from './grant-tokens.ts'
import type { NewPersonalToken } from './personal-token.ts'
import type { RenewalLease } from './renewal-lease.ts'
import type { Revocations } from './revocations.ts'
import type { Throttle } from './throttle.ts'

/**
 * The account of one subject. The id of a personal access token is accepted wherever a grant is checked or
 * revoked and its props are replaced: the token is a grant of its own.
 *
 * @typeParam Props how props are represented: as objects, or as JSON text between Worker and object
 */
export interface Account<Props = GrantProps> {
  /**
   * Stores the grant as pending and returns its authorization code.
   *
   * @throws {TypeError} for a grant of another subject, and for props that are not a JSON object
   * @throws {RangeError} for props above 65,536 UTF-16 code units of JSON
   */
  approve(grant: NewGrant<Props>): Promise<{
    readonly grantId: string
    readonly codeSecret: string
    readonly expiresAt: number
  }>
  /**
   * Redeems a code once. A second redemption with the correct parameters revokes the grant.
   *
   * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-4.1.3
   */
  redeemCode(input: CodeRedemption): Promise<IssuedGrant<Props> | Refused>
  /**
   * Rotates a refresh token. Within the grace, the replaced token returns the same successor again,
   * for a client that lost the answer. After the grace, or once the successor was used, it revokes
   * the grant.
   *
   * @throws {TypeError} and {RangeError} for invalid props, as {@link approve} does
   * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13#section-4.3.1
   */
  refresh(input: RefreshRequest<Props>): Promise<IssuedGrant<Props> | Refused>
  /** Returns what {@link refresh} would use, without rotating; undefined when it would refuse or revoke. */
  peekRefresh(input: RefreshRequest<Props>): Promise<GrantState<Props> | undefined>
  /**
   * Replaces the props. Returns false when the grant has ended, the key is not the grant's, or the props
   * are not of the version that the new ones were made from.
   *
   * @throws {TypeError} and {RangeError} for invalid props, as {@link approve} does
   */
  setProps(
    grantId: string,
    grantKey: string,
    props: Props,
    from?: { readonly propsVersion: string; readonly renewal?: RenewalLease },
  ): Promise<boolean>
  /**
   * Replaces the props of renewable grants without their keys. Grants that have ended are skipped.
   *
   * @throws {TypeError} and {RangeError} for invalid props, as {@link approve} does
   */
  renewProps(renewals: readonly PropsRenewal<Props>[]): Promise<void>
  /**
   * Whether access tokens of the grant are valid, with the grant's props.
   *
   * @param grantKey the key in the token; undefined checks the grant without decrypting its props
   */
  check(
    grantId: string,
    grantKey: string | undefined,
    renewal?: RenewalLease,
  ): Promise<GrantCheck<Props>>
  /** Changes the version that {@link check} returns. Does nothing for an account that has no grants. */
  changeDefinitionVersion(): Promise<void>
  /** Ends a grant, pending or live. Returns false when there was none. Does not authorize the caller. */
  revoke(grantId: string): Promise<boolean>
  /** The state of a refresh token, rotated ones included; undefined when it was never issued or its grant has ended. */
  inspectRefresh(grantId: string, refreshSecret: string): Promise<RefreshState | undefined>
  /**
   * The live grants, newest first, and on request the pending grants and the personal access tokens.
   */
  listGrants(wanted?: ListWanted): Promise<readonly GrantSummary[]>
  /**
   * Stores a personal access token, unless its name is taken or the account has as many as it may have.
   *
   * @throws {TypeError} for an invalid key
   * @throws {TypeError} and {RangeError} for invalid props, as {@link approve} does
   */
  createPersonalToken(
    token: NewPersonalToken<Props>,
  ): Promise<{ readonly tokenId: string } | { readonly refused: 'name-taken' | 'too-many' }>
  /** Whether a consent is remembered for exactly this client, redirect URI, resource and set of scopes. */
  hasConsent(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ): Promise<boolean>
  /** Ends the sign-in of one browser. The id is deleted after the expiry of the sign-in. */
  endSignIn(signInId: string, expiresAt: number): Promise<void>
  /** @param expiresAt of the sign-in, because all sign-ins until a time may have ended */
  hasSignInEnded(signInId: string, expiresAt?: number): Promise<boolean>
  /** Ends the grants, personal access tokens and consents that are older than the revocations. */
  endIssuedBefore(revocations: Revocations): Promise<void>
  /**
   * Ends every grant, personal access token and consent, and the sign-ins that expire by a time.
   *
   * @param erase also deletes what would be kept to recognise ended grants
   */
  endAll(signInsUntil: number, erase: boolean): Promise<EndedAccess>
  /** Deletes the remembered consents of one client, for every redirect URI and resource. */
  deleteConsents(clientId: string): Promise<void>
}

export interface ListWanted {
  readonly personalTokens?: boolean
  /** Grants whose code is not redeemed yet. */
  readonly pending?: boolean
}

/** How many of each have ended. */
export interface EndedAccess {
  readonly grants: number
  readonly personalTokens: number
  readonly consents: number
}

export interface Accounts {
  of(subject: string): Account
  /**
   * The account with a name that was returned by {@link nameOf}, from a token of this deployment.
   *
   * @throws {TypeError} for text that is not the name of an account
   */
  byName(name: string): Account
  /** 43 characters of base64url, the same for the same subject at any time. */
  nameOf(subject: string): Promise<string>
  readonly throttle: Throttle
  readonly documents: DocumentStore
}
