/** The headers of all pages: they load nothing, run no script, and are neither framed nor cached. */
import type { Markup } from './markup.ts'
import { STYLE_SOURCE } from './style.ts'

export interface PageOptions {
  readonly status?: number | undefined
  /** Targets of `form-action` beside this host. */
  readonly formTargets?: readonly string[]
  /**
   * Whether the opener keeps its reference to this window. Web apps open the consent page in a popup and
   * wait for its redirect, which a severed reference would prevent.
   */
  readonly keepsOpener?: boolean
  /** The value of `Retry-After`, if the response has it. */
  readonly retryAfterSeconds?: number | undefined
}

export function pageResponse(
  page: Markup,
  { status = 200, formTargets = [], keepsOpener = false, retryAfterSeconds }: PageOptions = {},
): Response {
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    ['form-action', "'self'", ...formTargets.map(checkSource)].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return new Response(page.toString(), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'cross-origin-opener-policy': keepsOpener ? 'unsafe-none' : 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // With `no-referrer`, browsers would send `Origin: null` with the forms of these pages.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(retryAfterSeconds !== undefined && { 'retry-after': `${retryAfterSeconds}` }),
    },
  })
}

/** An origin or a scheme. Any other text could end the directive, and is a bug of the caller. */
const SOURCE = /^[a-z][a-z\d+.-]*:(?:\/\/[a-z\d._-]+(?::(?:\d{1,5}|\*))?)?$/

function checkSource(source: string): string {
  if (!SOURCE.test(source)) throw new TypeError('Invalid source for a content security policy')
  return source
}
