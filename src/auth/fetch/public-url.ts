/**
 * URLs that strangers name and this server fetches: those that can only lead to a host in public DNS.
 *
 * A public name may still be made to resolve to a private address. What stands there has no certificate
 * for that name, so such a fetch ends in its TLS handshake; and Cloudflare's network has no way there.
 */

const MAX_LENGTH = 2048

/** Names that are answered by the device or the network around it, or by nobody (RFC 6761 and after it). */
const LOCAL_DOMAINS: ReadonlySet<string> = new Set([
  ...['localhost', 'local', 'internal', 'test', 'invalid', 'onion', 'alt', 'arpa'],
  // Never delegated, since so many networks use them for their own.
  ...['corp', 'home', 'intranet', 'lan', 'localdomain', 'mail', 'private'],
])

/** At least two labels, none of them empty, and no dot at the end. */
const DOMAIN_NAME = /^[a-z0-9_][a-z0-9_-]{0,62}(?:\.[a-z0-9_][a-z0-9_-]{0,62})+$/

/** Ports below it belong to other protocols, which must not be spoken to on a stranger's word. */
const FIRST_FREE_PORT = 1024

/**
 * The URL, or undefined for anything but `https:` on port 443 or from 1024 up, with a domain name for
 * its host, and without user information and fragment.
 *
 * Address literals are refused, public ones too: no special range can be spelt in a way that is not
 * thought of here. The text must be canonical, which leaves one spelling per URL.
 */
export function parsePublicUrl(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || text.includes('#')) return undefined
  const url = URL.parse(text)
  if (url === null || url.href !== text) return undefined
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT) return undefined
  return isPublicName(url.hostname) ? url : undefined
}

function isPublicName(hostname: string): boolean {
  if (hostname.length > 253 || !DOMAIN_NAME.test(hostname)) return false
  const top = hostname.slice(hostname.lastIndexOf('.') + 1)
  // A name whose last label is a number is an address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
  return !LOCAL_DOMAINS.has(top) && !/^\d/.test(top)
}
