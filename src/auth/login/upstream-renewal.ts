/** Renewal of upstream's tokens when one of ours is refreshed. */
import { SingleFlight } from '../../platform/single-flight.ts'
import { LoginError, type Person } from './login.ts'
import { UPSTREAM_TIMEOUT_MS, UpstreamError } from './upstream-fetch.ts'
import type { TokenAnswer, UpstreamTokens } from './upstream-tokens.ts'

type Props = NonNullable<Person['props']>

/** A token that ends sooner than this is renewed. */
const MARGIN_MS = 5 * 60_000

/** What ends a connection for good; anything else may be a passing fault, or a mistake of the author's. */
const ENDED: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

export class UpstreamRenewal {
  /**
   * A refresh token may be good once only, so requests that come together share one renewal. They are
   * told apart by the token itself: whoever has it is entitled to what it gives.
   */
  readonly #running = new SingleFlight<TokenAnswer>(UPSTREAM_TIMEOUT_MS)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * @returns the props with new tokens; undefined where there is nothing to renew
   * @throws {LoginError} where upstream has ended the connection
   */
  async renew(
    props: Props,
    request: (refreshToken: string) => Promise<TokenAnswer>,
  ): Promise<Props | undefined> {
    const known = tokensIn(props)
    const { refreshToken, expiresAt } = known ?? {}
    if (refreshToken === undefined || expiresAt === undefined) return undefined
    if (expiresAt > this.#now() + MARGIN_MS) return undefined
    try {
      const { tokens } = await this.#running.run(refreshToken, () => request(refreshToken))
      // Both may be left out where they have not changed (RFC 6749 §6).
      const upstream: UpstreamTokens = {
        ...tokens,
        refreshToken: tokens.refreshToken ?? refreshToken,
        scope: tokens.scope ?? known?.scope,
      }
      return { ...props, upstream }
    } catch (error) {
      if (error instanceof UpstreamError && ENDED.has(error.code ?? '')) {
        throw new LoginError('The sign-in has ended where it was made', { cause: error })
      }
      throw error
    }
  }
}

function tokensIn({ upstream }: Props): Partial<UpstreamTokens> | undefined {
  return typeof upstream === 'object' && upstream !== null ? upstream : undefined
}
