/** The content of the pages as plain data, without HTML other than the sections of features. */

import type { Markup } from '../../pages/markup.ts'
import type { GrantSummary } from '../../ports/grant.ts'
import type { NewPersonalToken } from '../../ports/personal-token.ts'
import type { SubscriptionView } from '../../ports/subscriptions.ts'

/** How a person signs in: with a passphrase, with a button only, with an API key, or at another site. */
export type LoginForm =
  | 'passphrase'
  | 'open'
  /** The label of the key. */
  | { readonly apiKey: string }
  | { readonly provider: string }

export interface ScopeView {
  readonly name: string
  readonly description: string
}

/** A scope on the consent page. */
export interface ScopeChoice extends ScopeView {
  /** Whether its box is ticked; absent for a scope that cannot be left out. */
  readonly ticked?: boolean
}

/** The content of the consent page. */
export interface ConsentView {
  /** The name that the client gave itself. Untrusted. */
  readonly clientName: string
  /** The verified host of the client's identity; undefined for a client without one. */
  readonly clientHost: string | undefined
  /** Where the answer is sent: a host, or a scheme for an app on this device. */
  readonly redirectTarget: string
  readonly redirectKind: 'https' | 'loopback' | 'app'
  /** `https://host` or `scheme:`, for `form-action`. */
  readonly redirectSource: string
  readonly scopes: readonly ScopeChoice[]
  /** What features of the app let the person choose besides. */
  readonly choices?: Markup | undefined
  /** Whether the person, who is not signed in yet, may be able to grant fewer scopes. */
  readonly dependsOnPerson: boolean
  readonly serverName: string
  readonly resource: string
  /** Whether the resource administers the server. */
  readonly administers: boolean
  /** Hidden fields of the form. */
  readonly transaction: string
  readonly csrf: string
  /** The name of the signed-in person. */
  readonly signedInAs: string | undefined
  /** The sign-in that the form needs; undefined when a person is signed in. */
  readonly login: LoginForm | undefined
  /** Whether Allow needs a ticked box. */
  readonly needsConfirmation: boolean
  /** The error of the last attempt. */
  readonly problem: string | undefined
}

/** The content of the sign-in page. */
export interface LoginView {
  readonly serverName: string
  /** What the person signs in for: a sentence. */
  readonly purpose: string
  readonly action: string
  readonly transaction: string
  readonly csrf: string
  /** Whether the provider should offer another account. Default false. */
  readonly selectAccount?: boolean
  readonly login: LoginForm
  readonly problem: string | undefined
}

/** A program with its access to each of its resources. One that registers at each connection is several clients. */
export interface ConnectedApp {
  /** Names the program in the form that disconnects all of its clients. */
  readonly program: string
  readonly name: string
  /** The verified host; undefined for a name that the client gave itself. */
  readonly host: string | undefined
  readonly access: readonly AppAccess[]
  readonly connections: readonly AppConnection[]
}

/** One client of a program. */
export interface AppConnection extends Pick<GrantSummary, 'scopes' | 'createdAt' | 'lastUsedAt'> {
  readonly clientId: string
  readonly resources: readonly string[]
}

export interface AppAccess extends Pick<GrantSummary, 'resource' | 'createdAt' | 'lastUsedAt'> {
  /** Whether the resource administers the server. */
  readonly administers: boolean
  readonly scopes: readonly ScopeView[]
}

/** An event subscription by webhook. */
export interface ShownSubscription
  extends Pick<
    SubscriptionView,
    'id' | 'type' | 'callback' | 'state' | 'createdAt' | 'expiresAt' | 'lastDeliveryAt'
  > {
  readonly clientName: string
}

/** The content of the page of connected apps. */
export interface AccountView {
  readonly serverName: string
  readonly name: string
  readonly apps: readonly ConnectedApp[]
  readonly subscriptions: readonly ShownSubscription[]
  readonly csrf: string
  /** The result of the last action, such as "The app was disconnected." */
  readonly notice: string | undefined
  /** The form that replaces the API key; undefined with any other sign-in. */
  readonly apiKey: KeyFormView | undefined
  /** What the features of the app bring. */
  readonly sections: readonly Markup[]
  /** Where their forms may redirect to. */
  readonly formTargets: readonly string[]
}

/** The personal access tokens of the account page. */
export interface TokensView {
  readonly tokens: readonly TokenView[]
  /** Undefined while no sign-in is possible. */
  readonly form: TokenFormView | undefined
}

export interface TokenView
  extends Pick<NewPersonalToken, 'name' | 'resource' | 'scopes' | 'expiresAt'> {
  readonly tokenId: string
  /** Whether the resource administers the server. */
  readonly administers: boolean
  /** Times in epoch milliseconds. */
  readonly createdAt: number
  /** Undefined before the first use. */
  readonly lastUsedAt: number | undefined
}

/** The form that creates a personal access token. */
export interface TokenFormView {
  readonly login: LoginForm
  readonly scopes: readonly ScopeView[]
  /** The addresses to choose from. */
  readonly resources: readonly { readonly resource: string; readonly administers: boolean }[]
  /** Whether the person enters the address, because the server has more than it can list. */
  readonly anyResource: boolean
  readonly lifetimes: readonly { readonly value: string; readonly label: string }[]
  /** The content of the fields. */
  readonly draft: {
    readonly name: string
    readonly scopes: readonly string[]
    readonly resource: string
    readonly lifetime: string
  }
  /** The error of the last attempt. */
  readonly problem: string | undefined
}

/** The content of the page that shows a new token. */
export interface NewTokenView {
  readonly serverName: string
  readonly name: string
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface KeyFormView {
  readonly label: string
  /** The error of the last attempt. */
  readonly problem: string | undefined
}

/** The content of a page without a form. */
export interface MessageView {
  readonly status: number
  readonly title: string
  readonly message: string
  /** A redirect URI that the person may follow, and its host or scheme. */
  readonly link?: { readonly href: string; readonly host: string }
  /** The value of `Retry-After`, if the response has it. */
  readonly retryAfterSeconds?: number | undefined
}
