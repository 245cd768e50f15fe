/** The dependencies of the authorization server's endpoints. One object per issuer and environment. */
import type { Markup } from '../../pages/markup.ts'
import type { Account, Accounts } from '../../ports/accounts.ts'
import type { GrantSummary } from '../../ports/grant.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'
import type { Observe } from '../../ports/request-observer.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { Subscriptions } from '../../ports/subscriptions.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import type { Throttle } from '../../ports/throttle.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ClientAuthentication } from '../clients/client-authentication.ts'
import type { Client, Clients } from '../clients/clients.ts'
import type { Login, Person, RedirectSite } from '../login/login.ts'
import type { LoginError } from '../login/login-error.ts'
import type { Admission } from '../people/admission.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { DpopCheck } from '../resource/dpop.ts'
import type { Resources } from '../resource/resources.ts'
import type { ResourceScopes, ScopeTable } from '../resource/scopes.ts'
import type { CheckGrant } from '../resource/verified-tokens.ts'
import type { AuthLimits } from './auth-limits.ts'
import type { ConsentContext } from './consent-request.ts'
import type { AuthHooks } from './hooks.ts'
import type { RefusedAttempt } from './refuse-sign-in.ts'
import { SIGN_IN_ENDPOINT } from './sign-in-endpoint.ts'
import type { SignedIn } from './signed-in.ts'

/** What the pages and the sign-in of people need. A server that issues no tokens has these members alone. */
export interface PageServer {
  /** The origin, without a trailing slash. */
  readonly issuer: string
  readonly serverName: string
  readonly login: Login | RedirectSite
  /** Undefined where everyone may have everything. */
  readonly admission: Admission | undefined
  readonly accounts: {
    readonly of: (subject: string) => Pick<Account, 'hasSignInEnded' | 'endSignIn'>
    readonly throttle: Throttle
  }
  readonly clients: Pick<Clients, 'find'>
  readonly signingKeys: Pick<SigningKeys, 'revocations'>
  readonly sealer: Sealer
  readonly parts: { readonly accountSections: readonly AccountSection<PageServer>[] }
  readonly limits: AuthLimits
  /** Undefined when the app has lifted all limits. */
  readonly rateLimits: RateLimits | undefined
  readonly env: unknown
  /** Whether a request belongs to a development server. */
  readonly isDevelopment: (request: Request) => boolean
  readonly report: (event: TelemetryEvent) => void
}

export interface AuthorizationServer extends PageServer {
  readonly login: Login
  /** The audience of tokens for which the client names none; undefined where every resource is named. */
  readonly defaultResource: string | undefined
  readonly resources: Resources
  /** Finds a resource by its URL or alias. */
  readonly findResource: (named: string) => { readonly resource: string } | undefined
  /** The scopes of all resources. */
  readonly scopes: ScopeTable
  /** The scopes that tokens for a resource can have. */
  readonly scopesOf: (resource: string) => ResourceScopes
  /** Whether a resource administers the server: its tokens act for everyone. */
  readonly administers: (resource: string) => boolean
  readonly clients: Clients
  readonly authenticateClient: ClientAuthentication
  readonly accounts: Accounts
  readonly signingKeys: SigningKeys
  /** Undefined on a server without DPoP, which ignores proofs. */
  readonly checkDpop: DpopCheck | undefined
  readonly parts: ServerParts
  /** Undefined when the text is no valid access token of this server. */
  readonly verifyAccessToken: (token: string) => Promise<AccessToken | undefined>
  readonly checkGrant: CheckGrant
  readonly hooks: AuthHooks
  /** Undefined in an app without events. */
  readonly subscriptions: Subscriptions | undefined
  /** Undefined for a request that no observer reads. */
  readonly observe?: Observe
  /** Drops the cached tokens of a grant that was revoked, or has new props, in this isolate. */
  readonly evictGrant: (grantId: string) => void
}

/** Serves an endpoint. What it throws becomes the error of the endpoint: see `routes.ts`. */
export type Handle<Server = AuthorizationServer> = (
  server: Server,
  request: Request,
) => Response | Promise<Response>

/** Whether apps connect to the server. */
export const issuesTokens = (server: PageServer): server is AuthorizationServer => 'hooks' in server

/** What the features of the app bring to the endpoints. */
export interface ServerParts {
  /** Members of the metadata of the issuer. */
  readonly metadata: JsonObject
  /** The grant types that not every server has. */
  readonly exchanges: ReadonlyMap<string, Exchange>
  readonly accountSections: readonly AccountSection[]
  /** Undefined where the consent page has the scopes alone. */
  readonly consentChoices: ConsentChoices | undefined
  /** Revokes a token for its holder, without a client. False when the text is of another kind. */
  readonly revokeToken: (server: AuthorizationServer, text: string) => Promise<boolean>
}

/** A token request whose client has authenticated. */
export interface TokenRequest {
  readonly server: AuthorizationServer
  readonly params: ReadonlyMap<string, string>
  readonly client: Client
  /** JWK thumbprint of the key of the DPoP proof; undefined without a proof. */
  readonly dpopJkt: string | undefined
  /** Marks the proof as used. Called once the grant is valid; see `VerifiedProof`. */
  readonly redeemProof: () => Promise<void>
}

/** Returns the body of the token response. */
export type Exchange = (request: TokenRequest) => Promise<JsonObject>

/** A section of the account page. */
export interface AccountSection<Server extends PageServer = AuthorizationServer> {
  readonly name: string
  /** Texts about a successful action, by the query parameter of the redirect to the page. */
  readonly notices: Readonly<Record<string, string>>
  show(server: Server, request: Request, page: SectionPage): SectionView | Promise<SectionView>
  /** Finishes an action of the section that needs a sign-in upstream, once that has succeeded. */
  follow(server: Server, purpose: SectionPurpose, person: Person): Promise<Response>
  /** The response when that sign-in was refused. */
  refuse(refused: RefusedAttempt): Response
  /** Called when the person has ended all access of a client. */
  disconnected?(server: Server, subject: string, client: string): Promise<void>
  /** The response when it failed. Default: a page that says that the person is not signed in. */
  fail?(server: Server, purpose: SectionPurpose, error: LoginError): Promise<Response>
}

export interface SectionPage {
  readonly person: SignedIn
  /** The live grants of the person, and the personal access tokens. */
  readonly grants: readonly GrantSummary[]
  readonly csrf: string
  readonly problem: SectionProblem | undefined
}

/** The refusal of the last attempt with the form of a section, and what the form had. */
export interface SectionProblem extends RefusedAttempt {
  readonly draft: unknown
}

export interface SectionView {
  readonly body: Markup
  /** Where its forms may redirect to; see `pageResponse`. */
  readonly formTargets: readonly string[]
}

/** What the consent page lets a signed-in person choose besides the scopes. */
export interface ConsentChoices {
  /** `shown` is JSON that is sealed into the form. Undefined for nothing to choose. */
  show(
    context: ConsentContext,
    person: SignedIn,
  ): Promise<{ readonly body: Markup; readonly shown: unknown } | undefined>
  /** Called once the person has approved the page. The consent of the context has what it has shown. */
  accept(
    context: ConsentContext,
    person: SignedIn,
    form: ReadonlyMap<string, string>,
  ): Promise<void>
}

/** An action of a section that follows a sign-in upstream. */
export interface SectionPurpose {
  readonly kind: 'section'
  readonly section: string
  /** The person who has sent the form. */
  readonly subject: string
  readonly wanted: unknown
  /** What the sign-in has in place of that of a person who comes in. */
  readonly elsewhere?: ElsewhereSignIn
}

/** A sign-in with another login than that of the server. */
export interface ElsewhereSignIn {
  /** The path where it returns. */
  readonly callback: string
  readonly scopes: readonly string[]
  readonly selectAccount: boolean
}

/** Paths of the endpoints. */
export const ENDPOINT = {
  ...SIGN_IN_ENDPOINT,
  introspect: '/introspect',
  account: '/account',
  accountRevoke: '/account/disconnect',
  accountKey: '/account/key',
  connect: '/connect',
  accountSubscriptions: '/account/subscriptions',
  accountTokens: '/account/tokens',
  accountTokensRevoke: '/account/tokens/revoke',
  login: '/login',
  logout: '/logout',
} as const
