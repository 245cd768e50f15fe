/**
 * A grant: what a person has approved for one client, as it is stored, listed and checked.
 *
 * Times are epoch milliseconds unless a name says otherwise.
 */
import type { GrantProps } from '../protocol/auth-info.ts'
import type { LeaseAnswer } from './renewal-lease.ts'

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

/** What a person grants to a client. */
export interface GrantedAccess<Props = GrantProps> {
  readonly subject: string
  readonly client: GrantClient
  readonly resource: string
  readonly scopes: readonly string[]
  /** Stored encrypted, under a key that is only in issued tokens. */
  readonly props: Props | undefined
}

/** A grant that a person has approved, before its code is redeemed. */
export interface NewGrant<Props = GrantProps> extends GrantedAccess<Props> {
  readonly redirectUri: string
  /** The S256 challenge. @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
  readonly codeChallenge: string
  /** `dpop_jkt` of the authorization request. @see https://www.rfc-editor.org/rfc/rfc9449#section-10 */
  readonly dpopJkt: string | undefined
  /** Whether `renewProps` of the account may replace the props. Default false. */
  readonly renewable?: boolean | undefined
  /** Whether the same request is approved without the consent page from now on. */
  readonly rememberConsent: boolean
}

/** New props of one grant. */
export interface PropsRenewal<Props = GrantProps> {
  readonly grantId: string
  readonly props: Props
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
  /** Whether its code is not redeemed yet. Default false. */
  readonly isPending?: boolean
  /** For a personal access token, which is a grant of its own. Its name is that of the client. */
  readonly personalToken?: { readonly expiresAt: number; readonly isUsed: boolean }
}

/** A grant as a refresh would find it. */
export interface GrantState<Props = GrantProps> extends GrantedAccess<Props>, LeaseAnswer {
  readonly grantId: string
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
  /** Other than before each call of `changeDefinitionVersion` of the account. */
  readonly definitionVersion?: string | undefined
}
