/** Applies rate limits to the endpoints of the authorization server, by network. */
import type { NetworkClass, OverLimit, RateLimits } from '../ports/rate-limits.ts'
import { OAuthError } from './oauth-error.ts'

/** RFC 6749 has no code for 429. `temporarily_unavailable` invites the client to try again. */
export class OverLimitError extends OAuthError {
  readonly limitClass: string

  constructor({ limitClass, retryAfterSeconds }: OverLimit) {
    const text = `Too many requests came from your network. Try again in ${retryAfterSeconds} seconds`
    super('temporarily_unavailable', text, { status: 429, retryAfterSeconds })
    this.limitClass = limitClass
  }
}

/**
 * Counts a request by the network of its client.
 *
 * @param limits undefined when the app has lifted all limits
 * @param part distinguishes counts within the network
 * @throws {OverLimitError}
 */
export async function limitNetwork(
  limits: RateLimits | undefined,
  limitClass: NetworkClass,
  { headers }: Pick<Request, 'headers'>,
  part?: string,
): Promise<void> {
  const over = await limits?.ofNetwork(limitClass, headers, part)
  if (over !== undefined) throw new OverLimitError(over)
}
