/** The dependencies of the authorization server's endpoints. One object per issuer and environment. */
import type { Accounts } from '../../ports/accounts.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import type { ClientAuthentication } from '../clients/client-authentication.ts'
import type { Clients } from '../clients/clients.ts'
import type { Login } from '../login/login.ts'
import type { Admission } from '../people/admission.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { DpopCheck } from '../resource/dpop.ts'
import type { ResourceScopes } from '../resource/resource-scopes.ts'
import type { Resources } from '../resource/resources.ts'
import type { ScopeTable } from '../resource/scopes.ts'
import type { CheckGrant } from '../resource/verified-tokens.ts'
import type { VerifyAssertion } from './assertion.ts'
import type { AuthLimits } from './auth-limits.ts'
import type { AuthHooks } from './hooks.ts'

export interface AuthorizationServer {
  /** The origin, without a trailing slash. */
  readonly issuer: string
  readonly serverName: string
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
  readonly sealer: Sealer
  readonly signingKeys: SigningKeys
  readonly checkDpop: DpopCheck
  readonly verifyAssertion: VerifyAssertion
  /** Undefined when the text is no valid access token of this server. */
  readonly verifyAccessToken: (token: string) => Promise<AccessToken | undefined>
  readonly login: Login
  /** Whether people may create personal access tokens. */
  readonly personalAccessTokens: boolean
  /** Undefined where everyone may have everything. */
  readonly admission: Admission | undefined
  readonly checkGrant: CheckGrant
  readonly hooks: AuthHooks
  readonly limits: AuthLimits
  /** Undefined when the app has lifted all limits. */
  readonly rateLimits: RateLimits | undefined
  readonly env: unknown
  /** Whether a request belongs to a development server. */
  readonly isDevelopment: (request: Request) => boolean
  readonly report: (event: TelemetryEvent) => void
  /** Learns the client of a request that the timeline records. */
  readonly identified?: (clientId: string) => void
  /** Drops the cached tokens of a revoked grant in this isolate. */
  readonly onRevoked: (grantId: string) => void
  /** Drops the cached tokens of a grant with new props in this isolate. */
  readonly onPropsChanged: (grantId: string) => void
}

/** Paths of the endpoints. Clients of 2025-03-26 without metadata assume these root paths. */
export const ENDPOINT = {
  authorize: '/authorize',
  consent: '/authorize/decision',
  callback: '/authorize/callback',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
  introspect: '/introspect',
  jwks: '/.well-known/jwks.json',
  account: '/account',
  accountRevoke: '/account/disconnect',
  accountKey: '/account/key',
  accountTokens: '/account/tokens',
  accountTokenRevoke: '/account/tokens/revoke',
  login: '/login',
  logout: '/logout',
} as const
