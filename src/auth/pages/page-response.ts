/** The headers that all pages share: nothing loads, nothing runs, nobody frames, nothing is kept. */
import type { Markup } from './markup.ts'
import { STYLE_SOURCE } from './style.ts'

export interface PageOptions {
  readonly status?: number | undefined
  /** Where the answer to a form may lead beside this host. */
  readonly formTargets?: readonly string[]
  /**
   * Whether the window that opened this one keeps hold of it. Apps in a browser open the consent page
   * in a window and wait there for it to come back, which cutting the tie would end.
   */
  readonly keepsOpener?: boolean
}

export function pageResponse(
  page: Markup,
  { status = 200, formTargets = [], keepsOpener = false }: PageOptions = {},
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
      // Not `no-referrer`: with it a browser sends `Origin: null` with our own forms.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  })
}

/** An origin or a scheme. Anything else could end the directive, and is our own mistake. */
const SOURCE = /^[a-z][a-z\d+.-]*:(?:\/\/[a-z\d._-]+(?::(?:\d{1,5}|\*))?)?$/

function checkSource(source: string): string {
  if (!SOURCE.test(source)) throw new TypeError('Not a source for a policy')
  return source
}
