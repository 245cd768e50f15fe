/**
 * Authorization responses: redirects to a validated redirect URI, always with `iss`, so that the client
 * can detect a response of another server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2
 */
import type { ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import type { OAuthError } from '../oauth-error.ts'

export interface RedirectTarget {
  readonly redirectUri: ValidatedRedirectUri
  /** As the client sent it. */
  readonly state: string | undefined
}

export function codeRedirect(target: RedirectTarget, issuer: string, code: string): Response {
  return redirect(target, { code, iss: issuer })
}

export function errorRedirect(
  target: RedirectTarget,
  issuer: string,
  { code, message }: OAuthError,
): Response {
  return redirect(target, { error: code, error_description: message, iss: issuer })
}

function redirect(
  { redirectUri, state }: RedirectTarget,
  params: Readonly<Record<string, string>>,
): Response {
  const query = new URLSearchParams(params)
  if (state !== undefined) query.set('state', state)
  // Appended without parsing, so that the registered part stays the same byte for byte.
  const separator = redirectUri.includes('?') ? '&' : '?'
  return seeOther(`${redirectUri}${separator}${query}`)
}

/** Redirects a browser with GET. The target receives no referrer, because URLs of these pages hold codes and states. */
export function seeOther(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  })
}
