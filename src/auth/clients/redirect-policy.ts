/** Decides which redirect URIs clients may register: by class of URI, or from a configured list. */
import { isSystemScheme } from './app-schemes.ts'
import { isCallbackOf, REDIRECT_PRESETS, type RedirectPreset } from './redirect-presets.ts'
import { parseRedirectUri } from './redirect-uri.ts'

export interface RedirectOptions {
  /**
   * The private-use schemes that apps may use, without colons: a list, or `'reversed-domain'` for every scheme
   * that is a reversed domain name, as RFC 8252 wants it. `https:` and loopback `http:` are always accepted,
   * and with `[]` nothing else is. Default: every scheme but those that belong to browsers, to systems and to
   * networks.
   */
  readonly schemes?: readonly string[] | 'reversed-domain'
  /** Accepts only the callbacks of these clients, and those with one of `schemes` if given. */
  readonly presets?: readonly RedirectPreset[]
}

export interface RedirectPolicy {
  /** Returns why a redirect URI is rejected, as the predicate of a sentence. Undefined if it is accepted. */
  refusal(uri: string): string | undefined
}

/**
 * `com.example.app`: a top-level domain of letters only, and at least one more label. System schemes such
 * as `x-apple.systempreferences` do not match.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.1
 */
const REVERSE_DOMAIN = /^[a-z]{2,63}(?:\.[a-z0-9-]{1,63})+$/

const SCHEME = /^[a-z][a-z0-9+.-]*$/

/** @throws {TypeError} for a scheme that can never be accepted, or an unknown preset */
export function createRedirectPolicy({ schemes, presets }: RedirectOptions = {}): RedirectPolicy {
  if (Array.isArray(schemes)) schemes.forEach(checkScheme)
  else if (schemes !== undefined && schemes !== 'reversed-domain') {
    throw new TypeError("redirects.schemes must be a list of schemes, or 'reversed-domain'")
  }
  for (const preset of presets ?? []) {
    if (!REDIRECT_PRESETS.includes(preset)) {
      throw new TypeError(`redirects.presets: there is no preset ${JSON.stringify(preset)}`)
    }
  }
  const refuseScheme = createSchemeRule(schemes)
  return {
    refusal(uri) {
      const parsed = parseRedirectUri(uri)
      if (!parsed.ok) return parsed.error
      const { kind, scheme } = parsed.value
      if (presets !== undefined) {
        if (presets.some((preset) => isCallbackOf(preset, uri, kind === 'loopback')))
          return undefined
        if (kind === 'app' && schemes !== undefined && refuseScheme(scheme) === undefined)
          return undefined
        return 'is not a callback of an accepted client'
      }
      return kind === 'app' ? refuseScheme(scheme) : undefined
    },
  }
}

/** Returns the rule for private-use schemes: why one is rejected, or undefined. */
function createSchemeRule(
  schemes: RedirectOptions['schemes'],
): (scheme: string) => string | undefined {
  if (schemes === undefined) {
    return (scheme) =>
      isSystemScheme(scheme)
        ? 'has a scheme of a system: use https, loopback http, or a scheme of the app'
        : undefined
  }
  if (schemes === 'reversed-domain') {
    return (scheme) =>
      REVERSE_DOMAIN.test(scheme) && !isSystemScheme(scheme)
        ? undefined
        : 'has a scheme that is neither https nor a reversed domain name'
  }
  return (scheme) => (schemes.includes(scheme) ? undefined : 'has a scheme that is not accepted')
}

function checkScheme(scheme: string): void {
  const parsed = SCHEME.test(scheme) ? parseRedirectUri(`${scheme}:/callback`) : undefined
  if (parsed?.ok !== true || parsed.value.kind !== 'app') {
    throw new TypeError(
      `redirects.schemes: ${JSON.stringify(scheme)} is not a private-use scheme in lower case`,
    )
  }
}
