/**
 * That a form was shown to the browser that sends it, by a page of ours: the cookie, the token in the
 * form, and what the browser says of where the form came from.
 */

import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthLimits } from './auth-limits.ts'
import { COOKIE, readCookie, setCookie } from './cookies.ts'

export interface FormToken {
  /** For the hidden field. */
  readonly csrf: string
  /** Names the browser, for whatever is sealed into the form. */
  readonly browser: string
  readonly cookie: string
}

/** The token for a form. A browser with several forms open keeps one cookie for all, as long as any. */
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
 * The browser that sends a form, as `createFormToken` has named it.
 *
 * @throws {OAuthError} `access_denied`, 403, for a form that was not sent by our page in this browser
 */
export async function checkForm(
  request: Request,
  issuer: string,
  csrf: string | undefined,
): Promise<string> {
  const refuse = () =>
    new OAuthError('access_denied', 'This form was not sent by the page that showed it', {
      status: 403,
    })
  const origin = request.headers.get('origin')
  // On somebody's own machine the page may have been opened under another loopback name.
  const own = new URL(request.url).origin
  if (origin !== null && origin !== issuer && origin !== own) throw refuse()
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw refuse()
  const secret = readCookie(request, COOKIE.csrf)
  if (secret === undefined || csrf !== (await sha256Base64Url(`form ${secret}`))) throw refuse()
  return sha256Base64Url(`browser ${secret}`)
}
