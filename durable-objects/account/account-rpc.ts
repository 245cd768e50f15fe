/** What a Worker calls: the port's calls, with props as JSON text and the deployment's limits beside them. */
import type {
  Account,
  AccountLimits,
  CodeRedemption,
  GrantState,
  GrantSummary,
  IssuedGrant,
  NewGrant,
  RefreshRequest,
  RefreshState,
  Refused,
} from '../../src/ports/accounts.ts'
import type { StoredDocument } from '../../src/ports/documents.ts'

/** JSON, or undefined for none. */
type WithPropsText<T> = Omit<T, 'props'> & { readonly props: string | undefined }

export type ApprovedGrant = WithPropsText<NewGrant>
export type IssuedGrantText = WithPropsText<IssuedGrant>
export type GrantStateText = WithPropsText<GrantState>
export type RefreshText = Omit<RefreshRequest, 'newProps'> & {
  readonly newProps: string | undefined
}

export interface Checked {
  readonly active: boolean
  readonly props: string | undefined
}

/** A document as it crosses and is kept: as JSON. */
export type DocumentText = Omit<StoredDocument, 'value'> & { readonly value: string }

export interface Guessed {
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

export interface AccountRpc {
  approve(grant: ApprovedGrant, limits: AccountLimits): ReturnType<Account['approve']>
  /** @param attempt names this call: the same one again, after a reset of the object, gets the same answer */
  redeemCode(
    input: CodeRedemption,
    attempt: string,
    limits: AccountLimits,
  ): Promise<IssuedGrantText | Refused>
  refresh(input: RefreshText, limits: AccountLimits): Promise<IssuedGrantText | Refused>
  peekRefresh(input: RefreshText, limits: AccountLimits): Promise<GrantStateText | undefined>
  setProps(grantId: string, grantKey: string, props: string): Promise<boolean>
  check(grantId: string, grantKey: string | undefined): Promise<Checked>
  revoke(grantId: string): Promise<boolean>
  inspectRefresh(
    grantId: string,
    refreshSecret: string,
    limits: AccountLimits,
  ): Promise<RefreshState | undefined>
  grants(): Promise<readonly GrantSummary[]>
  remembers(
    clientId: string,
    redirectUri: string,
    resource: string,
    scopes: readonly string[],
  ): Promise<boolean>
  forgetConsents(clientId: string): Promise<void>
  document(url: string): Promise<DocumentText | undefined>
  putDocument(url: string, document: DocumentText): Promise<void>
  deleteDocument(url: string): Promise<void>
  /** @param key a hash */
  guess(key: string, right: boolean, limits: AccountLimits): Promise<Guessed>
}
