/**
 * Parses URLs that clients name and this server fetches. Accepts only those whose host is in public DNS.
 *
 * A public name may still resolve to a private address. A host there has no certificate for the name, so
 * the TLS handshake fails, and Cloudflare's network has no route to it.
 */

const MAX_LENGTH = 2048

/** Top-level names that are resolved locally or never (RFC 6761 and its successors). */
const LOCAL_DOMAINS: ReadonlySet<string> = new Set([
  ...['localhost', 'local', 'internal', 'test', 'invalid', 'onion', 'alt', 'arpa'],
  // Never delegated, because many networks use them internally.
  ...['corp', 'home', 'intranet', 'lan', 'localdomain', 'mail', 'private'],
])

/** At least two labels, none of them empty, without a final dot. */
const DOMAIN_NAME = /^[a-z0-9_][a-z0-9_-]{0,62}(?:\.[a-z0-9_][a-z0-9_-]{0,62})+$/

/**
 * Returns the URL, or undefined unless it is `https:` on port 443, has a domain name as host, and has no
 * user information and no fragment. Other ports belong to services that a client must not make this
 * server connect to.
 *
 * All address literals are rejected, so that no notation of a private range can be overlooked. The text
 * must be canonical, so that each URL has one form.
 */
export function parsePublicUrl(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || text.includes('#')) return undefined
  const url = URL.parse(text)
  if (url === null || url.href !== text) return undefined
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  if (url.port !== '') return undefined
  return isPublicName(url.hostname) ? url : undefined
}

function isPublicName(hostname: string): boolean {
  if (hostname.length > 253 || !DOMAIN_NAME.test(hostname)) return false
  const top = hostname.slice(hostname.lastIndexOf('.') + 1)
  // A name whose last label is a number is an address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
  return !LOCAL_DOMAINS.has(top) && !/^\d/.test(top)
}

const MAX_SHOWN_LENGTH = 300

/** A URL in the text of an OAuth error, which has no backslash (RFC 6749 §5.2). Long ones are cut. */
export function showUrl(url: string): string {
  const text = url.replaceAll('\\', '%5C')
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text
}
