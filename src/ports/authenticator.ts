/** Authenticates the requests at the endpoint. Authorization implements it. */
import type { AuthInfo } from '../protocol/auth-info.ts'

export interface Authenticator {
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
}
