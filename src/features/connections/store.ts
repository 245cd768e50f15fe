/** The accounts of people at other services, as the Worker reaches them: one object for each person and server. */
import type { Call } from '../../dispatch/call.ts'
import { ServiceKey } from '../../ports/service-key.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { Principal } from '../../protocol/principal.ts'
import type { PagePurpose } from '../asks/ask-at-page.ts'

/** Whose accounts they are. */
export type Person = Pick<Principal, 'issuer' | 'subject'>

/** The person of a caller. */
export type PersonOf = (call: Pick<Call, 'request'>, auth: AuthInfo) => Person

/** An account as handlers, pages and clients name it. */
export interface AccountName {
  /** That of the service: stable. */
  readonly id: string
  /** What the service calls it, or the person: at most 64 characters of one line. */
  readonly label: string
}

/** What a handler asks for. */
export interface Use {
  readonly connection: string
  /** The client id of the app. */
  readonly client: string
  /** The id or the label of an account; undefined for the default one. */
  readonly account: string | undefined
  /** Those that the app must be admitted to and the service must have granted. */
  readonly scopes: readonly string[]
  /** Whether one of several accounts without a default must be named. */
  readonly mustChoose: boolean
  /** A digest of the token that the service has refused, which is renewed although it has time left. */
  readonly refused?: string | undefined
}

/**
 * - `none`: no account that the app is admitted to with these scopes, or it has ended.
 * - `choose`: several, and none is the default. `unknown`: none has this id or label. `ambiguous`: two have it.
 * - `unavailable`: the service does not renew the token now.
 */
export type Used =
  | {
      readonly kind: 'token'
      readonly account: AccountName
      readonly accessToken: string
      readonly expiresAt: number | undefined
    }
  | { readonly kind: 'none' | 'unavailable' }
  | { readonly kind: 'choose' | 'unknown' | 'ambiguous'; readonly labels: readonly string[] }

export interface NewVisit {
  readonly connection: string
  readonly client: string
  readonly scopes: readonly string[]
  readonly about: PagePurpose
  /** The secret of the webhook of a call that waits. */
  readonly webhook: string | undefined
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A page that a person was asked to open. */
export interface Visit extends Omit<NewVisit, 'webhook'> {
  readonly id: string
  /** `as`: the label of the account that was connected. */
  readonly about: PagePurpose & { readonly as?: string }
  readonly state: 'open' | VisitEnd
}

/** `failed`: the service has refused, or gave less than was asked for. */
export type VisitEnd = 'done' | 'declined' | 'failed'

/** An account of the person, for pages. */
export interface AccountView extends AccountName {
  /** Names the row. */
  readonly key: string
  readonly connection: string
  readonly scopes: readonly string[]
  readonly isDefault: boolean
  readonly hasEnded: boolean
  readonly createdAt: number
  readonly usedAt: number
  readonly apps: readonly AppView[]
}

/** An account as a page has shown it to the person. */
export type ShownAccount = Pick<AccountView, 'key' | 'connection' | 'scopes'>

export interface App {
  readonly client: string
  readonly name: string
}

export interface AppView extends App {
  readonly scopes: readonly string[]
  readonly usedAt: number
}

/** An account with which a person has returned from the service. */
export interface NewAccount extends AccountName {
  /** Props of the login, with the tokens. JSON. */
  readonly props: object
  readonly scopes: readonly string[]
}

export type Connected = 'connected' | 'too-many' | 'fewer-scopes' | 'over'

export interface AccountChange {
  readonly label?: string
  readonly isDefault?: boolean
}

/** Those of one person. */
export interface PersonConnections {
  use(use: Use): Promise<Used>
  /** The labels of the accounts that an app may use, by connection. */
  labels(client: string): Promise<Readonly<Record<string, readonly string[]>>>
  /** Returns the id of the page, the same for all that ask for the same; undefined for too many pages. */
  ask(visit: NewVisit): Promise<string | undefined>
  /** Undefined for a page that has expired. */
  visit(id: string): Promise<Visit | undefined>
  /** Admits the app of a page to an account that has its scopes. False when the page is over, or the account has not. */
  admit(visit: string, key: string): Promise<boolean>
  /** Admits an app to accounts that a consent page has shown. One that has ended, or has not these scopes, is left out. */
  admitApp(app: App, accounts: readonly ShownAccount[]): Promise<void>
  /** Stores an account with which the person has returned, and admits the app. */
  connect(visit: string, account: NewAccount): Promise<Connected>
  /** Ends a page. Returns the webhooks of those who wait. @param as the label of the account that was connected */
  settle(visit: string, end: VisitEnd, as?: string): Promise<readonly string[]>
  list(): Promise<readonly AccountView[]>
  change(key: string, change: AccountChange): Promise<boolean>
  /** Ends an account, at the service too where it can be. */
  end(key: string): Promise<boolean>
  /** Lets an app use no account any more. */
  dismiss(client: string): Promise<void>
  /** Ends all. Returns how many there were. */
  erase(): Promise<number>
}

export interface ConnectionStore {
  of(person: Person): PersonConnections
}

export const CONNECTIONS = new ServiceKey<ConnectionStore>('connections')
