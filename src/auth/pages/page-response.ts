/** The headers of the pages of authorization, which may have forms. */
import { htmlResponse } from '../../pages/html-response.ts'
import type { Markup } from '../../pages/markup.ts'
import { STYLE_SOURCE } from './style.ts'

export interface PageStatus {
  /** Default 200. */
  readonly status?: number | undefined
  /** The value of `Retry-After`, if the response has it. */
  readonly retryAfterSeconds?: number | undefined
}

export interface PageOptions extends PageStatus {
  /** Targets of `form-action` beside this host. */
  readonly formTargets?: readonly string[]
  /**
   * Whether the opener keeps its reference to this window. Web apps open the consent page in a popup and
   * wait for its redirect, which a severed reference would prevent.
   */
  readonly keepsOpener?: boolean
}

export function pageResponse(
  page: Markup,
  { status = 200, formTargets = [], keepsOpener = false, retryAfterSeconds }: PageOptions = {},
): Response {
  return htmlResponse(page, {
    status,
    styleSource: STYLE_SOURCE,
    directives: [['form-action', "'self'", ...formTargets.map(checkSource)].join(' ')],
    headers: {
      ...(keepsOpener && { 'cross-origin-opener-policy': 'unsafe-none' }),
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
