/**
 * Redirect URIs: what one must look like, which of a client's own a request may name, and what a
 * person is shown of it. Which schemes a deployment takes is decided in `redirect-policy.ts`.
 */

declare const validated: unique symbol

/** A redirect URI of the client that asks. Only {@link matchRedirectUri} gives one, and nothing else is redirected to. */
export type ValidatedRedirectUri = string & { readonly [validated]: true }

/** `app` is a private-use scheme, which the person's device gives to an app. */
export type RedirectKind = 'https' | 'loopback' | 'app'

export interface RedirectUri {
  readonly kind: RedirectKind
  /** Without the colon. */
  readonly scheme: string
}

export type RedirectUriResult =
  | { readonly ok: true; readonly value: RedirectUri }
  /** `error` completes a sentence that begins with the URI. */
  | { readonly ok: false; readonly error: string }

const MAX_LENGTH = 2048

/** What RFC 3986 lets a URI consist of, without `#`, which begins a fragment, and `*`. */
const URI_TEXT = /^(?:[\w\-.~:/?[\]@!$&'()+,;=]|%[\dA-Fa-f]{2})+$/

/** Percent-encoded C0 controls and DEL. */
const ENCODED_CONTROL = /%(?:[01][\dA-Fa-f]|7[Ff])/

/** The URL standard lets a host have `;` and `'` too, which would end a directive of a policy that names it. */
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:]+\])$/

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** Never a way back to an app, whatever a deployment lists: they run script, show data, or reach elsewhere. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  ...['about', 'blob', 'cid', 'data', 'dns', 'file', 'filesystem', 'ftp', 'ftps', 'gopher'],
  ...[
    'chrome',
    'chrome-extension',
    'content',
    'edge',
    'intent',
    'jar',
    'moz-extension',
    'resource',
  ],
  ...['feed', 'javascript', 'livescript', 'mocha', 'vbscript', 'view-source', 'wyciwyg'],
  ...[
    'callto',
    'facetime',
    'geo',
    'magnet',
    'mailto',
    'sip',
    'sips',
    'skype',
    'sms',
    'smsto',
    'tel',
  ],
  ...['ldap', 'ldaps', 'nfs', 'rdp', 'sftp', 'smb', 'ssh', 'telnet', 'vnc', 'ws', 'wss'],
  ...['app', 'itms', 'itms-apps', 'market', 'search', 'search-ms', 'shell', 'steam', 'urn'],
])

/**
 * Reads a redirect URI, strictly: the text must be what the platform's parser makes of it, byte for
 * byte, so that no two readers of it can disagree. Of what RFC 3986 §6.2.3 calls equal, only the path
 * may be left out: people write `http://127.0.0.1:8080`, and nothing is ambiguous about it.
 *
 * An `https:` URI may lead anywhere, an `http:` one only to this device (RFC 8252 §7.3).
 */
export function parseRedirectUri(uri: string): RedirectUriResult {
  if (uri.length > MAX_LENGTH) return refuse(`is longer than ${MAX_LENGTH} characters`)
  // RFC 6749 §3.1.2.
  if (uri.includes('#')) return refuse('has a fragment')
  if (uri.includes('*')) return refuse('has a wildcard: each redirect URI is registered by itself')
  if (!URI_TEXT.test(uri)) return refuse('has characters that no URI has')
  if (ENCODED_CONTROL.test(uri)) return refuse('has an encoded control character')
  const url = URL.parse(uri)
  if (url === null) return refuse('is not an absolute URI')
  if (url.username !== '' || url.password !== '') return refuse('has user information')
  if (url.href !== withRootPath(withoutLoopbackPort80(uri))) {
    return refuse('is not in its canonical form')
  }
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'https') {
    return HOST.test(url.hostname)
      ? accept('https', scheme)
      : refuse('has no host that can be named')
  }
  if (scheme === 'http') {
    if (LOOPBACK_HOSTS.includes(url.hostname)) return accept('loopback', scheme)
    return refuse('must be https, unless it leads to a loopback address')
  }
  if (REFUSED_SCHEMES.has(scheme)) return refuse('has a scheme that is never accepted')
  if (!uri.startsWith(`${scheme}:/`)) return refuse('has no slash after its scheme')
  return accept('app', scheme)
}

function accept(kind: RedirectKind, scheme: string): RedirectUriResult {
  return { ok: true, value: { kind, scheme } }
}

function refuse(error: string): RedirectUriResult {
  return { ok: false, error }
}

/** An app may be given any port, and the parser leaves out the usual one. */
function withoutLoopbackPort80(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):80(?=[/?]|$)/, '$1')
}

function withRootPath(uri: string): string {
  return uri.replace(/^https?:\/\/[^/?]+(?=\?|$)/, '$&/')
}

/**
 * The redirect URI to answer to: the requested one, if it is registered byte for byte, or in all but
 * the port where it leads to this device. An app there listens on whatever port it is given.
 *
 * @param requested undefined where the request names none: then it is the only registered one
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function matchRedirectUri(
  registered: readonly string[],
  requested: string | undefined,
): ValidatedRedirectUri | undefined {
  const [only] = registered
  const uri = requested ?? (registered.length === 1 ? only : undefined)
  if (uri === undefined || !parseRedirectUri(uri).ok) return undefined
  const portless = withoutLoopbackPort(uri)
  const known = registered.some((own) => withoutLoopbackPort(own) === portless)
  return known ? (uri as ValidatedRedirectUri) : undefined
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=[/?]|$)/, '$1')
}

export interface RedirectDescription {
  readonly kind: RedirectKind
  /** For people: a host, with its port where it has one, or a scheme such as `cursor:`. */
  readonly target: string
  /** For `form-action` of a content security policy: a browser applies it to the redirect as well. */
  readonly source: string
}

/** @throws {TypeError} never for what has been validated */
export function classifyRedirectUri(uri: ValidatedRedirectUri): RedirectDescription {
  const parsed = parseRedirectUri(uri)
  if (!parsed.ok) throw new TypeError('Not a validated redirect URI')
  const { kind } = parsed.value
  const { protocol, origin, host, hostname } = new URL(uri)
  if (kind === 'app') return { kind, target: protocol, source: protocol }
  // A policy has no spelling for an IPv6 address.
  return { kind, target: host, source: hostname.startsWith('[') ? protocol : origin }
}
