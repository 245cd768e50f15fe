/** Text of clients and of answers before it is recorded: short, printable, and without what may be secret. */
import { oneLine } from '../../../../src/platform/printable.ts'

/** In UTF-16 code units. */
const MAX_NAME_LENGTH = 60
const MAX_URL_LENGTH = 200
const MAX_REASON_LENGTH = 240

/** One line of at most `maxLength` characters. */
export function printable(text: string, maxLength = MAX_NAME_LENGTH): string {
  return oneLine(text, maxLength)
}

/**
 * Scheme, host and path of a URL. User, query and fragment may be secret. A text that is not a URL is
 * replaced by `invalid`.
 */
export function safeUrl(text: unknown): string {
  if (typeof text !== 'string' || !URL.canParse(text)) return 'invalid'
  const { protocol, host, pathname } = new URL(text)
  const path = pathname === '/' && !text.endsWith('/') ? '' : pathname
  return printable(`${protocol}//${host}${path}`, MAX_URL_LENGTH)
}

/** Scheme and host of a redirect URI; the scheme alone of a private one, and no port of a loopback host. */
export function safeRedirect(text: unknown): string {
  if (typeof text !== 'string' || !URL.canParse(text)) return 'invalid'
  const { protocol, hostname, host } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return printable(protocol)
  return printable(`${protocol}//${protocol === 'http:' ? hostname : host}`, MAX_URL_LENGTH)
}

/**
 * The reason of a refusal. What stands in quotes or after a colon may be text of the client; the query of a URL
 * may be secret.
 */
export function safeReason(text: string): string {
  const own = text.replace(/"[^"]*"?/g, '"…"').replace(/\?[^\s]*/g, '')
  return printable(own.replace(/^(Method not found): .*$/s, '$1'), MAX_REASON_LENGTH)
}

/** A list of scopes as the client sent it: only what can be a scope (RFC 6749 §3.3), without quotes. */
export function safeScopes(text: string): string {
  return printable(text.replace(/[^\w:./ -]/g, ''), 120)
}
