/**
 * Which URLs may be callbacks. The Worker checks the URL of a request, and the object of a principal checks again before
 * each attempt. DNS is not asked: a Worker cannot connect to an address that it has checked.
 */
import type { MaybePromise } from '../../../../src/platform/maybe-promise.ts'
import { invalid, type Result, valid } from '../../../../src/platform/result.ts'
import { hostName, isPublicName } from '../../../../src/protocol/local-name.ts'
import type { CallbackRules } from './event-settings.ts'

const MAX_LENGTH = 2048

/**
 * An absolute URL in visible ASCII, without a fragment and without a backslash. `URL` would accept other forms, and change what it reads: it drops
 * tabs, line breaks and slashes before the host, and reads a backslash as a slash.
 */
const ABSOLUTE = /^https?:\/\/(?!\/)[!"$-[\]-~]+$/i

const NOT_ABSOLUTE = `delivery.url must be an absolute https URL of at most ${MAX_LENGTH} ASCII characters, without user information and fragment`

const CHANGED =
  'delivery.url must have a path and query that URL parsers do not change: encode quotes, and use no dot segments'

/** Scheme and host. */
const ORIGIN = /^[^/]*\/\/[^/?]*/

/** User information, an empty one too. */
const USER_INFORMATION = /^[^/]*\/\/[^/?]*@/

export interface CheckedCallback {
  readonly url: URL
  readonly isTrusted: boolean
}

export interface CallbackPolicy {
  readonly rules: CallbackRules
  readonly env: unknown
  /** The origins of the server itself. */
  readonly ownOrigins: readonly string[]
}

/** Returns the reason for a refused URL. It may be sent to the client. */
export async function checkCallback(
  text: string,
  { rules, env, ownOrigins }: CallbackPolicy,
): Promise<Result<CheckedCallback>> {
  const url = parseCallback(text)
  if (url === undefined) return invalid(NOT_ABSOLUTE)
  if (isChanged(text, url)) return invalid(CHANGED)
  const isTrusted = await isTrustedOrigin(rules, url.origin, env)
  if (isTrusted) return valid({ url, isTrusted })
  if (url.protocol !== 'https:') return invalid(NOT_ABSOLUTE)
  // Certificates for addresses are not in use.
  if (!isPublicName(url)) return invalid('delivery.url must name a public host')
  if (isOwnHost(url, ownOrigins)) return invalid('delivery.url must not name this server')
  return valid({ url, isTrusted })
}

/** Undefined for a text that is no callback at any origin. */
function parseCallback(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || !ABSOLUTE.test(text) || USER_INFORMATION.test(text)) {
    return undefined
  }
  return URL.parse(text) ?? undefined
}

/** Whether `fetch` would send another path or query: a receiver may find its subscription by their bytes. */
function isChanged(text: string, { href, origin }: URL): boolean {
  const rest = text.replace(ORIGIN, '')
  return href.slice(origin.length) !== (rest.startsWith('/') ? rest : `/${rest}`)
}

function isTrustedOrigin(
  { trusted = [] }: CallbackRules,
  origin: string,
  env: unknown,
): MaybePromise<boolean> {
  if (typeof trusted === 'function') return trusted(origin, env)
  return trusted.some((text) => URL.parse(text)?.origin === origin)
}

/** Any port and scheme of the host: a request of a Worker to its own zone does not pass its front line. */
function isOwnHost(url: URL, ownOrigins: readonly string[]): boolean {
  return ownOrigins.some((origin) => {
    const own = URL.parse(origin)
    return own !== null && hostName(own) === hostName(url)
  })
}
