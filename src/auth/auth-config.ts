/** Authorization as the app sees it. Types alone: a server without authorization bundles no code of it. */
import type { Services } from '../ports/services.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'

/** The entrance of authorization. */
export interface AuthGate {
  /** Authenticates a request at a path of the endpoint, or returns the refusal. Never rejects. */
  authenticate(request: Request, env: unknown, path: string): Promise<AuthInfo | Response>
  /** `WWW-Authenticate` for a 403, which names the scopes that the caller lacks. */
  challenge(
    request: Request,
    env: unknown,
    path: string,
    auth: AuthInfo,
    scopes: readonly string[],
  ): string
  /** Whether the token of an authenticated request is still valid. Open streams ask repeatedly. */
  isStillAuthorized(request: Request, env: unknown): Promise<boolean>
  /** The response at a path of authorization; undefined for any other path. */
  route(request: Request, env: unknown, pathname: string): Promise<Response> | undefined
}

/** What the app gives to the auth gate. */
export interface AuthGateContext {
  readonly serverName: string
  /** Paths of the endpoint. Each is a resource of its own. */
  readonly paths: readonly string[]
  /** Further paths of the first resource, such as that of the transport of 2024-11-05. */
  readonly aliasPaths: readonly string[]
  readonly servicesOf: (env: unknown) => Services
  readonly report: TelemetrySink
  /** Whether a request came to a loopback name over plain http. */
  readonly isLoopback: (request: Request) => boolean
}

/** The value of `embedded()` and `external()`, for the option `auth` of `createEdgeway`. */
export interface AuthConfig {
  /** @throws {TypeError} when an option is invalid */
  createGate(context: AuthGateContext): AuthGate
}
