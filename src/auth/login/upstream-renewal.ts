/** Renews upstream tokens when a grant is refreshed. */
import { FOLLOW_MARGIN_MS, SingleFlight } from '../../platform/single-flight.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import type { Person } from './login.ts'
import { LoginError } from './login-error.ts'
import { UPSTREAM_TIMEOUT_MS } from './upstream-fetch.ts'
import type { TokenAnswer, UpstreamTokens } from './upstream-tokens.ts'

type Props = NonNullable<Person['props']>

/** A token that expires sooner than this is renewed. */
const MARGIN_MS = 5 * 60_000

/** Error codes that end a sign-in. Any other may be temporary, or an error in the author's configuration. */
const ENDED: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

interface Renewed extends Pick<TokenAnswer, 'tokens'> {
  /** The present claims of the person, where the provider has sent them. */
  readonly claims?: Props | undefined
}

/**
 * Returns the props with new tokens; undefined when nothing needs renewal.
 *
 * @throws {LoginError} when the upstream has ended the sign-in
 * @throws {RemoteError} when the upstream is unavailable
 */
type RenewProps = (
  props: Props,
  request: (refreshToken: string) => Promise<Renewed>,
) => Promise<Props | undefined>

export function createUpstreamRenewal(now: () => number): RenewProps {
  /**
   * Upstream refresh tokens may be single-use, so concurrent requests share one renewal. The refresh
   * token is the key.
   */
  const running = new SingleFlight<Renewed>(UPSTREAM_TIMEOUT_MS + FOLLOW_MARGIN_MS)
  return async (props, request) => {
    const known = isJsonObject(props.upstream) ? (props.upstream as Partial<UpstreamTokens>) : {}
    const { refreshToken, expiresAt } = known
    if (refreshToken === undefined || expiresAt === undefined) return undefined
    if (expiresAt > now() + MARGIN_MS) return undefined
    try {
      const { tokens, claims } = await running.run(refreshToken, () => request(refreshToken))
      // A response may omit both when they have not changed (RFC 6749 §6).
      const upstream: UpstreamTokens = {
        ...tokens,
        refreshToken: tokens.refreshToken ?? refreshToken,
        scope: tokens.scope ?? known.scope,
      }
      return { ...props, upstream, ...(claims && { claims }) }
    } catch (error) {
      throw endedSignIn(error)
    }
  }
}

/** A `LoginError` where the error means that the upstream has ended the sign-in; otherwise the error itself. */
export function endedSignIn(error: unknown): unknown {
  return error instanceof RemoteError && ENDED.has(error.code ?? '')
    ? new LoginError('The upstream provider has ended the sign-in.', { cause: error })
    : error
}
