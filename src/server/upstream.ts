/** The provider at which a caller has signed in, as handlers see it. */
import type { AuthInfo, GrantProps } from '../protocol/auth-info.ts'

/** The caller of a request, with access to the provider at which the person has signed in. */
export interface CallerAuth<Props = GrantProps> extends AuthInfo<Props> {
  readonly upstream: UpstreamAccess
}

export interface UpstreamAccess {
  /**
   * The access token of the provider, for calls of its API. It is renewed when it is about to end, where the
   * provider gave a refresh token; request its scopes in the options of the login.
   *
   * @throws {ToolError} whose message tells the person what to do
   */
  token(): Promise<string>
}

/**
 * Why there is no upstream token: the `reason` of the `ToolError`. `none`: the login keeps no upstream token. `ended`: the
 * person must sign in again. `unavailable`: the provider does not answer now.
 */
export type UpstreamTokenErrorReason = 'none' | 'ended' | 'unavailable'
