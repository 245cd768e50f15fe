/** The interface between the authorization server and the ways to sign in. */
import type { Account } from '../../ports/accounts.ts'
import type { RefreshRequest } from '../../ports/grant-tokens.ts'
import type { UpstreamFault } from '../../ports/upstream-tokens.ts'
import type { AttributeNeeds, PersonAttributes } from '../people/attributes.ts'
import type { AuthorizationServer, PageServer } from '../server/authorization-server.ts'
import type { Purpose } from '../server/callback.ts'
import type { PresentGrant } from '../server/grants/present-grant.ts'

/** The member with which a login brings what only logins of its kind need of the server, so that other apps do not contain it. */
export const LOGIN_PARTS: unique symbol = Symbol('edgeway.login-parts')

/** A signed-in person, with the attributes that `allow` and `scopesOf` read. */
export interface Person extends PersonAttributes {
  /** Stable and unique to the person. Grants and the author's data belong to it. 1 to 255 characters. */
  readonly subject: string
  /** The name on pages. Undefined shows the subject. */
  readonly name: string | undefined
  /** Data for hooks and handlers, such as upstream tokens and claims. JSON, stored encrypted with the grant. */
  readonly props: { readonly [key: string]: unknown } | undefined
}

/** Sign-in with a passphrase on this server's page. */
export interface PassphraseLogin {
  readonly kind: 'passphrase'
  /**
   * `ready`: a passphrase is set. `open`: none is set in development, where a button signs in as the
   * owner. `unset`: none is set anywhere else, where no sign-in is possible. `too-short`: one of them is
   * too short for any server but one of development, so none is accepted.
   */
  state(env: unknown, inDevelopment: boolean): 'ready' | 'open' | 'unset' | 'too-short'
  /** The person with this passphrase; undefined for a wrong one. Its time does not depend on the person. */
  verify(passphrase: string, env: unknown): Promise<Person | undefined>
  /** The person who signs in while the state is `open`. */
  readonly owner: Person
}

/** Sign-in with an API key of the service behind this server, on this server's page. */
export interface ApiKeyLogin {
  readonly kind: 'api-key'
  /** @internal */
  readonly [LOGIN_PARTS]: { readonly ask: AskLogin }
  /** The name of the key on pages. */
  readonly label: string
  /** The header in which `connections()` sends the key. Default: `Authorization`, as a bearer token. */
  readonly header?: string | undefined
  /** Where `connections()` sends the key. */
  readonly origins?: readonly string[] | undefined
  /**
   * The owner of a key; undefined for a key that is not valid.
   *
   * @throws {LoginError} when the owner may not sign in. Any other error means that the key cannot be
   *   checked now. No error contains the key.
   */
  verify(key: string, env: unknown): Promise<Person | undefined>
  /**
   * Verifies the key of a grant again, and returns its new props; undefined when they contain no key.
   * Called before each refresh of the grant.
   *
   * @param subject the owner that the key must still have
   * @throws {LoginError} when the key is not valid any more, which revokes the grant
   */
  refresh(
    props: NonNullable<Person['props']>,
    env: unknown,
    subject: string,
  ): Promise<Person['props']>
}

/** A grant whose key is known, because its caller has presented it. */
export interface HeldGrant {
  readonly account: Account
  readonly id: string
  readonly key: string
}

/** `ended-now`: the site has ended the sign-in, so the grant was revoked. */
export type RenewalOutcome = UpstreamFault | 'ended-now' | { readonly accessToken: string }

export type RenewGrantTokens = (
  login: RedirectLogin,
  grant: HeldGrant,
  env: unknown,
) => Promise<RenewalOutcome>

/** Calls `refresh` with what the login says about a grant that is about to be refreshed: see `ask-login.ts`. */
export type AskLogin = <T>(
  login: RedirectLogin | ApiKeyLogin,
  server: AuthorizationServer,
  account: Account,
  requested: RefreshRequest,
  refresh: (grant: PresentGrant | undefined) => Promise<T>,
) => Promise<T>

/** The redirect to a site, and the return from it. */
export interface ReturnParts {
  /** Redirects the browser to the site. When that is unavailable, the client or the person learns it. */
  readonly signIn: (
    login: RedirectSite,
    server: PageServer,
    request: Request,
    purpose: Purpose,
  ) => Promise<Response>
  /** `GET /authorize/callback` */
  readonly finish: (login: RedirectSite, server: PageServer, request: Request) => Promise<Response>
}

/** What a login needs besides: its grants are renewed at the site. */
export interface RedirectParts extends ReturnParts {
  readonly ask: AskLogin
  readonly renewTokens: RenewGrantTokens
}

/** A site to which the browser is redirected and from which it returns. */
export interface RedirectSite {
  readonly kind: 'redirect'
  /** @internal */
  readonly [LOGIN_PARTS]: ReturnParts
  /** The name of the site on pages: "Continue with …". */
  readonly name: string
  /** For `connections()`: where the tokens of the site may be sent. */
  readonly origins?: readonly string[] | undefined
  /** For `connections()`: the scopes that are asked for in any case. */
  readonly scopes?: readonly string[] | undefined
  /**
   * The URL that the browser is redirected to.
   *
   * @throws {LoginError} when the site is unavailable
   */
  begin(request: LoginRequest, env: unknown): Promise<URL>
  /**
   * The person who signed in.
   *
   * @param answer the query of the callback; its `state` has been checked
   * @throws {LoginError} when the sign-in failed. Its message is shown to the person.
   */
  finish(answer: URLSearchParams, request: LoginRequest, env: unknown): Promise<Person>
  /**
   * Renews upstream tokens that are about to expire, and returns the new props; undefined when nothing
   * needs renewal. Called before each refresh of the grant.
   *
   * @throws {LoginError} when the site has ended the sign-in, which revokes the grant
   */
  refresh?(props: NonNullable<Person['props']>, env: unknown): Promise<Person['props']>
  /** For `connections()`: the account of the tokens, read at the site. @throws {LoginError} for none */
  identify?(
    props: NonNullable<Person['props']>,
    env: unknown,
  ): Promise<Pick<Person, 'subject' | 'name'>>
  /** For `connections()`: ends the tokens at the site. */
  revoke?(props: NonNullable<Person['props']>, env: unknown): Promise<void>
}

/** Sign-in at another site. */
export interface RedirectLogin extends RedirectSite {
  /** @internal */
  readonly [LOGIN_PARTS]: RedirectParts
  /**
   * The present attributes of a person, for the props of a grant that is about to be refreshed; undefined
   * when those of the sign-in still hold. Called where `allow` or `scopesOf` decide about people.
   *
   * @throws {LoginError} when the site has ended the sign-in, which revokes the grant
   */
  attributes?(
    props: NonNullable<Person['props']>,
    needs: AttributeNeeds,
    env: unknown,
  ): Promise<PersonAttributes | undefined>
}

/** One sign-in. Nonce and code verifier are derived from a secret of the browser that began it. */
export interface LoginRequest {
  /** `<origin>/authorize/callback`. */
  readonly callbackUrl: string
  /** Sealed and single-use. Identifies the sign-in. */
  readonly state: string
  /** 43 base64url characters. */
  readonly nonce: string
  /** PKCE verifier for the upstream. 43 base64url characters. */
  readonly codeVerifier: string
  /** Scopes beside those of the login, which `connections()` asks for. Default: none. */
  readonly scopes?: readonly string[] | undefined
  /** What the allow-lists compare. Default: nothing. */
  readonly needs?: AttributeNeeds | undefined
  /** Whether the site should let the person choose another account. Default false. */
  readonly selectAccount?: boolean | undefined
  /**
   * How long ago the person may have signed in at the site, in seconds; 0 asks the site for a new sign-in.
   * Default: any time.
   */
  readonly maxAgeSeconds?: number | undefined
  /** When this sign-in began, in epoch milliseconds: what `maxAgeSeconds` is measured from. Given to `finish`. */
  readonly begunAt?: number | undefined
}

/** A way to sign in: the value of `passphrase()`, `apiKey()`, `oidc()`, `ownLogin()` and the presets. */
export type Login = PassphraseLogin | ApiKeyLogin | RedirectLogin
