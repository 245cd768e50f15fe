/** What every endpoint of the authorization server works with. One per issuer and environment. */
import type { Accounts } from '../../ports/accounts.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import type { ClientAuthentication } from '../clients/client-authentication.ts'
import type { Clients } from '../clients/clients.ts'
import type { Login } from '../login/login.ts'
import type { Pages } from '../pages/views.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { DpopCheck } from '../resource/dpop.ts'
import type { ScopeTable } from '../resource/scopes.ts'
import type { VerifyAssertion } from './assertion.ts'
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
  readonly pages: Pages
  readonly hooks: AuthHooks
  readonly limits: AuthLimits
  readonly env: unknown
  /** Whether it runs on somebody's own machine. */
  readonly loopback: boolean
  readonly report: (event: TelemetryEvent) => void
  /** Lets this isolate forget what it knew of a grant. */
  readonly onRevoked: (grantId: string) => void
}

/** Durations in milliseconds. */
export interface AuthLimits {
  /** From the consent to the exchange of its code. Default 60 s. */
  readonly codeTtlMs: number
  /** An access token; its grant is checked again every second. Default 24 hours. */
  readonly accessTtlMs: number
  /** An access token that has no grant to check: client credentials, assertions. Default 1 hour. */
  readonly serviceAccessTtlMs: number
  /** A grant that is not used. Default 60 days. */
  readonly refreshIdleMs: number
  /** A grant, however much it is used. Default 365 days. */
  readonly grantLifetimeMs: number
  /** How long a spent refresh token still gives its successor. Default 30 s. */
  readonly refreshGraceMs: number
  /** From the question to the answer on the consent page. Default 10 minutes. */
  readonly transactionTtlMs: number
  /** How long a browser stays signed in. Default 12 hours. */
  readonly loginTtlMs: number
  /** At most between two looks at a grant's state. Default 1 s. */
  readonly grantCheckMs: number
}

export const DEFAULT_AUTH_LIMITS: AuthLimits = {
  codeTtlMs: 60_000,
  accessTtlMs: 24 * 60 * 60 * 1000,
  serviceAccessTtlMs: 60 * 60 * 1000,
  refreshIdleMs: 60 * 24 * 60 * 60 * 1000,
  grantLifetimeMs: 365 * 24 * 60 * 60 * 1000,
  refreshGraceMs: 30_000,
  transactionTtlMs: 600_000,
  loginTtlMs: 12 * 60 * 60 * 1000,
  grantCheckMs: 1000,
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
