/** Decides which redirect URIs clients may register: by class of URI, or from a configured list. */
import { isCallbackOf, REDIRECT_PRESETS, type RedirectPreset } from './redirect-presets.ts'
import { parseRedirectUri } from './redirect-uri.ts'

export interface RedirectOptions {
  /**
   * The private-use schemes that apps may use, without colons. `https:` and loopback `http:` are always
   * accepted. Default: every scheme that is a reversed domain name, and those of known apps.
   */
  readonly schemes?: readonly string[]
  /** Accepts only the callbacks of these clients, and those with one of `schemes` if given. */
  readonly presets?: readonly RedirectPreset[]
}

export interface RedirectPolicy {
  /** Returns why a redirect URI is rejected, as the predicate of a sentence. Undefined if it is accepted. */
  refusal(uri: string): string | undefined
}

/** Common MCP clients whose scheme is not a reversed domain name. */
const KNOWN_APPS: readonly string[] = ['claude', 'cursor', 'vscode', 'vscode-insiders']

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
  for (const scheme of schemes ?? []) checkScheme(scheme)
  for (const preset of presets ?? []) {
    if (!REDIRECT_PRESETS.includes(preset)) {
      throw new TypeError(`redirects.presets: there is no preset ${JSON.stringify(preset)}`)
    }
  }
  const isAppScheme = (scheme: string) =>
    schemes === undefined
      ? KNOWN_APPS.includes(scheme) || REVERSE_DOMAIN.test(scheme)
      : schemes.includes(scheme)
  return {
    refusal(uri) {
      const parsed = parseRedirectUri(uri)
      if (!parsed.ok) return parsed.error
      const { kind, scheme } = parsed.value
      if (presets !== undefined) {
        if (presets.some((preset) => isCallbackOf(preset, uri, kind === 'loopback')))
          return undefined
        if (schemes?.includes(scheme)) return undefined
        return 'is not a callback of an accepted client'
      }
      if (kind !== 'app' || isAppScheme(scheme)) return undefined
      return schemes === undefined
        ? 'has a scheme that is neither https nor a reversed domain name'
        : 'has a scheme that is not accepted'
    },
  }
}

function checkScheme(scheme: string): void {
  const parsed = SCHEME.test(scheme) ? parseRedirectUri(`${scheme}:/callback`) : undefined
  if (parsed?.ok !== true || parsed.value.kind !== 'app') {
    throw new TypeError(
      `redirects.schemes: ${JSON.stringify(scheme)} is not a private-use scheme in lower case`,
    )
  }
}
