/** What every endpoint of the authorization server works with. One per issuer and environment. */
import type { Accounts } from '../../ports/accounts.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import type { ClientAuthentication } from '../clients/client-authentication.ts'
import type { Clients } from '../clients/clients.ts'
import type { Login } from '../login/login.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { DpopCheck } from '../resource/dpop.ts'
import type { ScopeTable } from '../resource/scopes.ts'
import type { VerifyAssertion } from './assertion.ts'
import type { AuthLimits } from './auth-limits.ts'
import type { AuthHooks } from './hooks.ts'

export interface AuthorizationServer {
  /** The origin, without a trailing slash. */
  readonly issuer: string
  readonly serverName: string
  /** The URLs that tokens may be for; the first is the default. */
  readonly resources: readonly string[]
  /** Old URLs of a moved domain, by what they are now. */
  readonly aliases: ReadonlyMap<string, string>
  readonly scopes: ScopeTable
  readonly clients: Clients
  readonly authenticateClient: ClientAuthentication
  readonly accounts: Accounts
  readonly sealer: Sealer
  readonly signingKeys: SigningKeys
  readonly checkDpop: DpopCheck
  readonly verifyAssertion: VerifyAssertion
  /** One of our own access tokens; undefined for anything else. */
  readonly verifyAccessToken: (token: string) => Promise<AccessToken | undefined>
  readonly login: Login
  readonly hooks: AuthHooks
  readonly limits: AuthLimits
  readonly env: unknown
  /** Whether it runs on somebody's own machine. */
  readonly loopback: boolean
  readonly report: (event: TelemetryEvent) => void
  /** Lets this isolate forget what it knew of a grant. */
  readonly onRevoked: (grantId: string) => void
}

/** Paths of the endpoints, at the root, as clients of 2025-03-26 assume without looking. */
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
  login: '/login',
  logout: '/logout',
} as const
