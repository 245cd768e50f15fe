/** Who a person is: what the authorization server needs from whatever finds that out. */

/** Somebody who has signed in. */
export interface Person {
  /** Stable, and never another person's: what notes and grants belong to. At most 255 characters. */
  readonly subject: string
  /** For pages. */
  readonly name: string | undefined
  /** What the author's hooks and handlers may use: upstream tokens, claims. Kept encrypted with the grant. */
  readonly props: { readonly [key: string]: unknown } | undefined
}

/** A passphrase, typed into our own page. */
export interface PassphraseLogin {
  readonly kind: 'passphrase'
  /**
   * `ready`: there is one to type; `open`: none is set, which is served on loopback hosts alone, where
   * one press of a button signs in; `unset`: none is set anywhere else, and nobody can sign in.
   */
  state(env: unknown, loopback: boolean): 'ready' | 'open' | 'unset'
  /** Whose passphrase it is; undefined for nobody's. Takes the same time for all. */
  verify(passphrase: string, env: unknown): Promise<Person | undefined>
  /** Who signs in where none is set. */
  readonly owner: Person
}

/** A sign-in somewhere else, to which the browser is sent and from which it comes back. */
export interface RedirectLogin {
  readonly kind: 'redirect'
  /** What people call it: "Continue with …". */
  readonly name: string
  /**
   * Where the browser goes.
   *
   * @throws {LoginError} where it cannot be had at the moment
   */
  begin(request: LoginRequest, env: unknown): Promise<URL>
  /**
   * Who came back.
   *
   * @param answer the query of the callback, its `state` checked already
   * @throws {LoginError} with what the person may read
   */
  finish(answer: URLSearchParams, request: LoginRequest, env: unknown): Promise<Person>
  /**
   * The props with the upstream's tokens renewed where they are about to end; undefined where there is
   * nothing to renew.
   *
   * @throws {LoginError} when upstream has ended the connection: so does the grant
   */
  refresh?(props: NonNullable<Person['props']>, env: unknown): Promise<Person['props']>
}

/** One sign-in; every member but the first is a secret of the browser that began it. */
export interface LoginRequest {
  readonly callbackUrl: string
  /** Sealed by us: it names the transaction, and is good once. */
  readonly state: string
  readonly nonce: string
  /** PKCE towards upstream. */
  readonly codeVerifier: string
}

export type Login = PassphraseLogin | RedirectLogin

/** A sign-in that did not succeed. Its text is shown to the person. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
}
