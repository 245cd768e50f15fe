/** The rate limit of URLs that need no token: that of networks. */
import type { Services } from '../../../ports/services.ts'

/** Returns the value of `Retry-After` for a request above the limit; undefined for any other. */
export async function overLimit(services: Services, headers: Headers): Promise<string | undefined> {
  const decision = services.rateLimits()?.ofNetwork('network', headers)
  const limited = decision instanceof Promise ? await decision : decision
  return limited && String(limited.retryAfterSeconds)
}
