/**
 * Which web pages may use the endpoint. Always checked: without it any page could speak to a server
 * on the visitor's own machine, or with the visitor's network position.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint
 */
import { isLoopbackName, type ServedHost } from './host.ts'

export interface OriginPolicy {
  /** Origins such as `https://app.example`, or `*`. Undefined: the default of `bearerRequired`. */
  readonly allowedOrigins: readonly string[] | undefined
  /** With a token to present, a page has nothing to gain from the visitor's browser. */
  readonly bearerRequired: boolean
}

/**
 * Whether an `Origin` is accepted. A loopback host accepts loopback origins only. Another host
 * accepts the configured ones; by default every origin where a bearer token is required, and its
 * own where none is.
 */
export function isOriginAllowed(origin: string, host: ServedHost, policy: OriginPolicy): boolean {
  if (host.loopback) return isLoopbackOrigin(origin)
  const { allowedOrigins, bearerRequired } = policy
  if (allowedOrigins === undefined) return bearerRequired || origin === host.origin
  return allowedOrigins.includes('*') || allowedOrigins.includes(origin)
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: serialised } = new URL(origin)
  // An Origin is exactly its own serialisation; anything more (a path, a list) is not an origin.
  return (
    serialised === origin.toLowerCase() &&
    (protocol === 'http:' || protocol === 'https:') &&
    isLoopbackName(hostname)
  )
}
