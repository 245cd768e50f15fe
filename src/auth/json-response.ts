/** JSON responses of the OAuth endpoints. Any origin may read them, because they carry no cookie's authority. */
import type { OAuthError } from './oauth-error.ts'

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
} as const

/** A JSON response that is not cached unless `init` sets `cache-control`. */
export function jsonResponse(body: object, init: ResponseInit = {}): Response {
  const headers = new Headers(HEADERS)
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  if (headers.get('cache-control') !== 'no-store') headers.delete('pragma')
  return new Response(JSON.stringify(body), { ...init, headers })
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export function errorResponse({ code, message, status, retryAfterSeconds }: OAuthError): Response {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  return jsonResponse({ error: code, error_description: message }, { status, headers })
}

/** The response to a preflight of any origin. Every header is allowed, such as that of a tracer. */
export function preflight(methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      // The wildcard alone does not cover Authorization, which some clients send everywhere.
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '7200',
    },
  })
}
