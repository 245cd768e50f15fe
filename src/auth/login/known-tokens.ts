/** The upstream tokens in the props of a grant. */
import type { GrantProps } from '../../protocol/auth-info.ts'
import type { UpstreamTokens } from './upstream-tokens.ts'

/** A token that expires sooner is renewed, so that a handler has time to use it. */
const MARGIN_MS = 60_000

export type KnownTokens = Pick<UpstreamTokens, 'accessToken'> & Partial<UpstreamTokens>

export function tokensIn(props: GrantProps | undefined): KnownTokens | undefined {
  const { upstream } = (props ?? {}) as { readonly upstream?: Partial<UpstreamTokens> | null }
  return typeof upstream?.accessToken === 'string' ? (upstream as KnownTokens) : undefined
}

export function isUsable({ expiresAt }: KnownTokens): boolean {
  return expiresAt === undefined || expiresAt > Date.now() + MARGIN_MS
}
