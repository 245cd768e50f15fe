/** Applies rate limits to the endpoints of the authorization server, by network. */
import type { NetworkClass, RateLimits } from '../ports/rate-limits.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * Counts a request by the network of its client.
 *
 * @param limits undefined when the app has lifted all limits
 * @param part distinguishes counts within the network
 * @throws {OAuthError} `temporarily_unavailable` (429), because RFC 6749 has no code for it and this one invites a retry
 */
export async function limitNetwork(
  limits: RateLimits | undefined,
  limitClass: NetworkClass,
  { headers }: Pick<Request, 'headers'>,
  part?: string,
): Promise<void> {
  const over = await limits?.ofNetwork(limitClass, headers, part)
  if (over === undefined) return
  const { retryAfterSeconds } = over
  const text = `Too many requests came from your network. Try again in ${retryAfterSeconds} seconds`
  throw new OAuthError('temporarily_unavailable', text, { status: 429, ...over })
}
