/**
 * Decides which web pages may use the endpoint. Without this check, any page could send requests to a
 * server on the visitor's machine or in the visitor's network.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security--endpoint
 */
import { isLoopbackName } from '../protocol/loopback-name.ts'
import type { ServedHost } from './host.ts'

export interface OriginPolicy {
  /** Origins such as `https://app.example`, or `*`. Default: see {@link isOriginAllowed}. */
  readonly allowedOrigins: readonly string[] | undefined
  /** A required bearer token protects against other pages: the browser does not attach it. */
  readonly bearerRequired: boolean
}

/**
 * Whether an `Origin` is allowed. A loopback host allows loopback origins only. Other hosts allow the
 * configured origins; by default all origins if a bearer token is required, else their own origin.
 */
export function isOriginAllowed(origin: string, host: ServedHost, policy: OriginPolicy): boolean {
  if (host.loopback) return isLoopbackOrigin(origin)
  const { allowedOrigins, bearerRequired } = policy
  if (allowedOrigins === undefined) return bearerRequired || origin === host.origin
  return allowedOrigins.includes('*') || allowedOrigins.includes(origin)
}

/**
 * Whether a browser says that another site has caused a request: a link, an image or a form of it. A GET of
 * this kind has no `Origin`.
 *
 * @see https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function isCausedByOtherSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site === 'cross-site' || site === 'same-site'
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: serialised } = new URL(origin)
  // A valid Origin equals its own serialisation. A path or a list would make it differ.
  return (
    serialised === origin.toLowerCase() &&
    (protocol === 'http:' || protocol === 'https:') &&
    isLoopbackName(hostname)
  )
}
