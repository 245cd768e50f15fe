/** What the pages show: plain data, so that the authorization server knows nothing of HTML. */

export interface ScopeView {
  readonly name: string
  readonly description: string
}

/** The question whether a client may connect. */
export interface ConsentView {
  /** As the client calls itself: text from outside. */
  readonly clientName: string
  /** The host its identity comes from; undefined for a client that anybody could have registered. */
  readonly clientHost: string | undefined
  /** Where the browser goes with the answer: a host, or a scheme for an app on this device. */
  readonly redirectTarget: string
  readonly redirectKind: 'https' | 'loopback' | 'app'
  /** `https://host` or `scheme:`, for the policy that lets the form's answer lead there. */
  readonly redirectSource: string
  readonly scopes: readonly ScopeView[]
  readonly serverName: string
  readonly resource: string
  /** Where the form goes, and what it carries back. */
  readonly action: string
  readonly transaction: string
  readonly csrf: string
  /** Undefined before anybody has signed in. */
  readonly signedInAs: string | undefined
  /** What signing in takes, where nobody has: a passphrase, a press of the button, or another site. */
  readonly login: 'passphrase' | 'open' | { readonly elsewhere: string } | undefined
  readonly signOutAction: string
  /** What was wrong with the last try. */
  readonly problem: string | undefined
}

/** Signing in by itself, on the way to one's own page. */
export interface LoginView {
  readonly serverName: string
  readonly action: string
  readonly transaction: string
  readonly csrf: string
  readonly login: 'passphrase' | 'open' | { readonly elsewhere: string }
  readonly problem: string | undefined
}

export interface ConnectedApp {
  readonly grantId: string
  readonly clientName: string
  readonly clientHost: string | undefined
  readonly resource: string
  readonly scopes: readonly ScopeView[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number
}

/** What a person has connected. */
export interface AccountView {
  readonly serverName: string
  readonly name: string
  readonly apps: readonly ConnectedApp[]
  readonly csrf: string
  readonly revokeAction: string
  readonly signOutAction: string
  /** What has just happened: "Claude was disconnected." */
  readonly notice: string | undefined
}

export interface MessageView {
  readonly status: number
  readonly title: string
  readonly message: string
}
