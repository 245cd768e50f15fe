/**
 * The accounts of the authorization server. Each subject has one account: its grants with their
 * authorization codes and refresh tokens, its remembered consents, and the sign-ins that it has ended.
 *
 * Times are epoch milliseconds unless a name says otherwise.
 */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { DocumentStore } from './documents.ts'
import type { GrantRefusalReason } from './grant-refusal.ts'
import type { Revocations } from './revocations.ts'
import type { Throttle } from './throttle.ts'

/** The client of a grant, as it was when the grant was approved. */
export interface GrantClient {
  readonly id: string
  readonly name: string | undefined
  /** `client_uri`, or the host of the metadata document. */
  readonly uri: string | undefined
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  readonly secretHash?: string
  /** For a client that registered itself: its keys, with which it authenticates after its registration has expired. */
  readonly registration?: {
    /** The JSON text of a list of JWKs. */
    readonly jwks?: string | undefined
    readonly jwksUri?: string | undefined
    readonly dpopBound?: boolean | undefined
  }
}

/** A grant that a person has approved, before its code is redeemed. */
export interface NewGrant<Props = GrantProps> {
  readonly subject: string
  readonly client: GrantClient
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** The S256 challenge. @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
  readonly codeChallenge: string
  /** `dpop_jkt` of the authorization request. @see https://www.rfc-editor.org/rfc/rfc9449#section-10 */
  readonly dpopJkt: string | undefined
  /** Stored encrypted, under a key that is only in issued tokens. */
  readonly props: Props | undefined
  /** Whether {@link Account.renewProps} may replace the props. Default false. */
  readonly renewable?: boolean | undefined
  /** Whether the same request is approved without the consent page from now on. */
  readonly rememberConsent: boolean
}

/** The content of the tokens to issue. */
export interface IssuedGrant<Props = GrantProps> {
  readonly grantId: string
  readonly subject: string
  readonly client: GrantClient
  readonly resource: string
  /** Scopes of this issuance: all granted ones, or those of them that were requested. */
  readonly scopes: readonly string[]
  /** Thumbprint of the key that these tokens are bound to. */
  readonly dpopJkt: string | undefined
  readonly props: Props | undefined
  /** Decrypts the props. The caller seals it into the tokens. */
  readonly grantKey: string
  readonly refreshSecret: string | undefined
  readonly refreshExpiresAt: number | undefined
}

/** New props of one grant. */
export interface PropsRenewal<Props = GrantProps> {
  readonly grantId: string
  readonly props: Props
}

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

/**
 * The right to renew the upstream tokens of a grant, whose refresh token the provider may accept once. One
 * request in the whole deployment has it, for a few seconds.
 */
export interface RenewalLease {
  /** Random. */
  readonly id: string
  /** Whether the request has finished. */
  readonly ends?: boolean
}

/** The answer to a request for a lease. */
export interface LeaseAnswer {
  /** False while another request has the lease. Undefined where none was requested. */
  readonly leased?: boolean | undefined
}

export interface Refused {
  readonly refused: 'invalid_grant' | 'invalid_scope' | 'invalid_target'
  /** For telemetry; never sent to the client. */
  readonly reason: GrantRefusalReason
  /** The id of the grant that this request has revoked. */
  readonly revoked?: string
}

/** A grant in the list of connected apps. */
export interface GrantSummary {
  readonly grantId: string
  readonly client: Pick<GrantClient, 'id' | 'name' | 'uri'>
  readonly resource: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** Accurate to one minute; the creation before the first use. */
  readonly lastUsedAt: number
  /** For a personal access token, which is a grant of its own. Its name is that of the client. */
  readonly personalToken?: { readonly expiresAt: number; readonly isUsed: boolean }
}

export interface ListWanted {
  readonly personalTokens: boolean
}

/** A grant as a refresh would find it. */
export interface GrantState<Props = GrantProps> extends LeaseAnswer {
  readonly grantId: string
  readonly subject: string
  readonly client: GrantClient
  readonly resource: string
  readonly scopes: readonly string[]
  readonly props: Props | undefined
  /** Changes with every write of the props. */
  readonly propsVersion: string
  /** Decrypts the props. Present where a lease was requested. */
  readonly grantKey?: string | undefined
  /** Whether the token was rotated within the grace, so that its successor would be issued again. */
  readonly isRepeat: boolean
}

export interface GrantCheck<Props = GrantProps> extends LeaseAnswer {
  readonly active: boolean
  readonly props?: Props | undefined
  /** Present where a lease was requested. */
  readonly propsVersion?: string | undefined
  /** Other than before each call of {@link Account.changeDefinitionVersion}. */
  readonly definitionVersion?: string | undefined
}

/** The state of a refresh token, for introspection. */
export interface RefreshState {
  readonly active: boolean
  readonly client: GrantClient
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

/** A personal access token: a long-lived token that a person creates for a program that sends it in a header. */
export interface NewPersonalToken<Props = GrantProps> {
  /** 32 random bytes in base64url. Only the token contains it. Encrypts the props; its digest is the id. */
  readonly key: string
  /** Unique among the tokens of the account. */
  readonly name: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
  readonly props: Props | undefined
  /** Whether {@link Account.renewProps} may replace the props. Default false. */
  readonly renewable?: boolean | undefined
}

/** The client id of a personal access token: it names the token, because no client holds it. */
export function personalTokenClient(tokenId: string): string {
  return `personal-access-token:${tokenId}`
}

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
   * The live grants, newest first, and on request the personal access tokens. An object of an earlier
   * version has none.
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
