/**
 * Redirect URIs: parsing, matching with the registered ones, and description for display.
 * `redirect-policy.ts` decides which schemes a deployment accepts.
 */

import { invalid, type Result, valid } from '../../platform/result.ts'
import { isClaimedScheme } from './app-schemes.ts'

declare const validated: unique symbol

/** A redirect URI that the client has registered. Only {@link matchRedirectUri} creates one, and redirects accept no other. */
export type ValidatedRedirectUri = string & { readonly [validated]: true }

/** `app`: a private-use scheme, which the device assigns to an app. */
export type RedirectKind = 'https' | 'loopback' | 'app'

export interface RedirectUri {
  readonly kind: RedirectKind
  /** Without the colon. */
  readonly scheme: string
}

const MAX_LENGTH = 2048

/** The characters of a URI (RFC 3986), except `#`, which begins a fragment, and `*`. */
const URI_TEXT = /^(?:[\w\-.~:/?[\]@!$&'()+,;=]|%[\dA-Fa-f]{2})+$/

/** Percent-encoded C0 controls and DEL. */
const ENCODED_CONTROL = /%(?:[01][\dA-Fa-f]|7[Ff])/

/** The URL standard also allows `;` and `'`, which would end a directive of a content security policy. */
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:]+\])$/

/** The parameters of an authorization response. With one of them in the URI, the response would have it twice. */
const RESPONSE_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** The hosts of RFC 8252 §7.3 and §8.3. Other addresses of 127.0.0.0/8 are not for redirects. */
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Parses a redirect URI strictly: the text must be identical to its serialization by the platform's
 * parser, so that no two parsers can disagree. Of the variants that RFC 3986 §6.2.3 calls equivalent,
 * only an absent path is accepted: people write `http://127.0.0.1:8080`, which is unambiguous.
 *
 * An `https:` URI may have any host, an `http:` URI only a loopback host (RFC 8252 §7.3). An error is
 * the predicate of a sentence whose subject is the URI.
 */
export function parseRedirectUri(uri: string): Result<RedirectUri> {
  if (uri.length > MAX_LENGTH) return invalid(`is longer than ${MAX_LENGTH} characters`)
  // RFC 6749 §3.1.2.
  if (uri.includes('#')) return invalid('has a fragment')
  if (uri.includes('*'))
    return invalid('has a wildcard: each redirect URI must be registered separately')
  if (!URI_TEXT.test(uri)) return invalid('has characters that are not allowed in a URI')
  if (ENCODED_CONTROL.test(uri)) return invalid('has an encoded control character')
  const url = URL.parse(uri)
  if (url === null) return invalid('is not an absolute URI')
  if (url.username !== '' || url.password !== '') return invalid('has user information')
  if (url.href !== withRootPath(withoutLoopbackPort80(uri))) {
    return invalid('is not in its canonical form')
  }
  // RFC 6749 §3.1.
  const parameter = RESPONSE_PARAMETERS.find((name) => url.searchParams.has(name))
  if (parameter !== undefined) return invalid(`has the parameter ${parameter} of a response`)
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'https') {
    return HOST.test(url.hostname)
      ? valid({ kind: 'https', scheme })
      : invalid('has a host with invalid characters')
  }
  if (scheme === 'http') {
    if (LOOPBACK_HOSTS.includes(url.hostname)) return valid({ kind: 'loopback', scheme })
    return invalid('must be https, unless its host is a loopback address')
  }
  if (isClaimedScheme(scheme)) return invalid('has a scheme that is never accepted')
  if (!uri.startsWith(`${scheme}:/`)) return invalid('has no slash after its scheme')
  return valid({ kind: 'app', scheme })
}

/** An app may use any port, and the parser omits the default one. */
function withoutLoopbackPort80(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):80(?=[/?]|$)/, '$1')
}

function withRootPath(uri: string): string {
  return uri.replace(/^https?:\/\/[^/?]+(?=\?|$)/, '$&/')
}

/**
 * Returns the requested redirect URI, as it was requested, if it is registered, compared byte by byte. The
 * port of a loopback URI may differ, because the operating system assigns it to the app, and so may the slash
 * of its root, which libraries for URLs add on their own.
 *
 * @param requested undefined if the request names none: then the only registered one is used
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function matchRedirectUri(
  registered: readonly string[],
  requested: string | undefined,
): ValidatedRedirectUri | undefined {
  const [only] = registered
  const uri = requested ?? (registered.length === 1 ? only : undefined)
  if (uri === undefined || !parseRedirectUri(uri).ok) return undefined
  const wanted = comparable(uri)
  const isRegistered = registered.some((own) => comparable(own) === wanted)
  return isRegistered ? (uri as ValidatedRedirectUri) : undefined
}

/** A loopback URI without its port, and with the slash of the root. */
function comparable(uri: string): string {
  return uri.replace(
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)\/?/,
    '$1/',
  )
}

export interface RedirectDescription {
  readonly kind: RedirectKind
  /** For display: a host, with its port if it has one, or a scheme such as `cursor:`. */
  readonly target: string
  /** For `form-action` of a content security policy, which browsers also apply to the redirect. */
  readonly source: string
}

/** @throws {TypeError} never for a validated URI */
export function describeRedirectUri(uri: ValidatedRedirectUri): RedirectDescription {
  const parsed = parseRedirectUri(uri)
  if (!parsed.ok) throw new TypeError('Not a validated redirect URI')
  const { kind } = parsed.value
  const { protocol, origin, host, hostname } = new URL(uri)
  if (kind === 'app') return { kind, target: protocol, source: protocol }
  // A content security policy cannot name an IPv6 address.
  return { kind, target: host, source: hostname.startsWith('[') ? protocol : origin }
}
