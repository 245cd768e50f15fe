/** The headers of all pages: they load nothing, run no script, and are not framed. */
import type { Markup } from './markup.ts'

export interface HtmlOptions {
  readonly status?: number | undefined
  /** The digest of the style sheet, in quotes. */
  readonly styleSource: string
  /** Further directives of the policy, such as `form-action 'self'`. */
  readonly directives: readonly string[]
  /** Further headers, which replace those of all pages. */
  readonly headers?: Readonly<Record<string, string>>
}

export function htmlResponse(
  page: Markup,
  { status = 200, styleSource, directives, headers }: HtmlOptions,
): Response {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    ...directives,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return new Response(page.toString(), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // With `no-referrer`, browsers would send `Origin: null` with the forms of these pages.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...headers,
    },
  })
}
