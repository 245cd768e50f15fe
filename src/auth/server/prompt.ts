/**
 * The parameters `prompt` and `max_age` of an authorization request: whether a page must be shown, or none may
 * be. OpenID Connect defines them, and clients send them to OAuth servers too.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
 */
import { invalidRequest } from '../oauth-error.ts'

export interface Prompt {
  /** No sign-in page and no consent page may be shown. */
  readonly isNone: boolean
  /** A remembered consent does not replace the page. */
  readonly asksConsent: boolean
  /** The person chooses an account, also when the browser is signed in. */
  readonly selectsAccount: boolean
  /** How long ago the person may have signed in; 0 for a new sign-in, which `login` means too. */
  readonly maxAgeSeconds: number | undefined
}

/**
 * Values of `prompt` that are unknown are ignored, as they were before clients could send any.
 *
 * @throws {OAuthError} `invalid_request` for `none` beside another value, and a `max_age` that is no number of
 *   seconds
 */
export function readPrompt(params: ReadonlyMap<string, string>): Prompt {
  const values = new Set((params.get('prompt') ?? '').split(' ').filter((value) => value !== ''))
  if (values.has('none') && values.size > 1) {
    throw invalidRequest('prompt=none allows no other value')
  }
  const maxAgeSeconds = secondsOf(params.get('max_age'))
  return {
    isNone: values.has('none'),
    asksConsent: values.has('consent'),
    selectsAccount: values.has('select_account'),
    maxAgeSeconds: values.has('login') ? 0 : maxAgeSeconds,
  }
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw invalidRequest('max_age must be a number of seconds')
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
