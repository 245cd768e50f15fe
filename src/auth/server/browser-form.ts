/**
 * Protects forms against cross-site request forgery: a form is accepted from the browser and the page
 * that showed it. Checked are a cookie, a token in the form, `Origin` and `Sec-Fetch-Site`.
 */
import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthLimits } from './auth-limits.ts'
import { COOKIE, readCookie, setCookie } from './cookies.ts'
import { readForm } from './read-form.ts'

export interface FormToken {
  /** The value of the hidden field. */
  readonly csrf: string
  /** Identifies the browser in seals that the form carries. */
  readonly browser: string
  /** The `Set-Cookie` value. */
  readonly cookie: string
}

/** Creates the token for a form. All open forms of a browser share one cookie. */
export async function createFormToken(
  request: Request,
  { transactionTtlMs, loginTtlMs }: Pick<AuthLimits, 'transactionTtlMs' | 'loginTtlMs'>,
): Promise<FormToken> {
  const known = readCookie(request, COOKIE.csrf)
  const secret = known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomToken()
  return {
    csrf: await sha256Base64Url(`form ${secret}`),
    browser: await sha256Base64Url(`browser ${secret}`),
    cookie: setCookie(COOKIE.csrf, secret, Math.max(transactionTtlMs, loginTtlMs)),
  }
}

/**
 * Reads and checks a submitted form. `browser` is that of `createFormToken`.
 *
 * @throws {OAuthError} `invalid_request` when the body is no form; `access_denied` (403) when the form
 *   was not shown by this server in this browser
 */
export async function readBrowserForm(
  request: Request,
  issuer: string,
): Promise<{ readonly form: ReadonlyMap<string, string>; readonly browser: string }> {
  const form = await readForm(request)
  const refuse = () =>
    new OAuthError(
      'access_denied',
      'This form was not sent by the page that showed it. Please go back, reload that page and try again.',
      { status: 403 },
    )
  const origin = request.headers.get('origin')
  // On a loopback host the page may have been opened under another loopback name than the issuer.
  const own = new URL(request.url).origin
  if (origin !== null && origin !== issuer && origin !== own) throw refuse()
  if (!isSameOrigin(request)) throw refuse()
  const secret = readCookie(request, COOKIE.csrf)
  if (secret === undefined) throw refuse()
  if (form.get('csrf') !== (await sha256Base64Url(`form ${secret}`))) throw refuse()
  return { form, browser: await sha256Base64Url(`browser ${secret}`) }
}

/** Whether a page of this origin has sent the request. True for a browser without the header `Sec-Fetch-Site`. */
export function isSameOrigin({ headers }: Request): boolean {
  return ['same-origin', null].includes(headers.get('sec-fetch-site'))
}
