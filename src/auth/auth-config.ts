/**
 * Authorization as the app sees it: who is calling, and what stands at the paths of its own. Types
 * alone: a server without authorization carries nothing of it.
 */
import type { AccountLimits } from '../ports/accounts.ts'
import type { Services } from '../ports/services.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'

export interface AuthGate {
  /** Who calls a path of the endpoint, or what they are told instead. Never rejects. */
  authenticate(request: Request, env: unknown, path: string): Promise<AuthInfo | Response>
  /** `WWW-Authenticate` for scopes that a caller lacks. */
  challenge(
    request: Request,
    env: unknown,
    path: string,
    auth: AuthInfo,
    scopes: readonly string[],
  ): string
  /** Whether a request that was let in still would be, for a stream that goes on. */
  isStillAuthorized(request: Request, env: unknown): Promise<boolean>
  /** The answer at a path of authorization's own; undefined for any other. */
  route(request: Request, env: unknown, pathname: string): Promise<Response> | undefined
}

/** Where a door stands. */
export interface AuthGateContext {
  readonly serverName: string
  /** Of the endpoint; each is a resource. */
  readonly paths: readonly string[]
  /** Further addresses of the first path's resource, such as that of the older transport. */
  readonly aliasPaths: readonly string[]
  readonly servicesOf: (env: unknown) => Services
  readonly report: TelemetrySink
  /** Whether a request came to a loopback name, over plain http. */
  readonly isLoopback: (request: Request) => boolean
}

/** What `embedded` and `external` give. */
export interface AuthConfig {
  /** Limits of the account objects; the class is created with them. Default: those of the port. */
  readonly accountLimits?: Partial<AccountLimits>
  /** @throws {TypeError} for a configuration that makes no sense */
  createGate(place: AuthGateContext): AuthGate
}
