/** The access tokens of the providers at which people sign in, for handlers that call these providers. */
import type { Caller } from './authenticator.ts'

/**
 * - `none`: the login keeps no upstream token, or the caller has no grant.
 * - `ended`: the provider has ended the sign-in, or gave nothing to renew the token with.
 * - `unavailable`: the provider or the account does not answer.
 */
export type UpstreamFault = 'none' | 'ended' | 'unavailable'

export type UpstreamTokenAnswer =
  | { readonly ok: true; readonly accessToken: string }
  | { readonly ok: false; readonly fault: UpstreamFault; readonly provider: string | undefined }

/** Returns the token of a caller, renewed when it ends. Never rejects. */
export type FindUpstreamToken = (caller: Caller, env: unknown) => Promise<UpstreamTokenAnswer>
