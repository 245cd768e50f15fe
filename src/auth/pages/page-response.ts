/** The headers of the pages of authorization, which may have forms, and the HTML around the content of each. */

import { raw } from 'hono/html'
import { htmlResponse } from '../../pages/html-response.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import { STYLE, STYLE_SOURCE } from './style.ts'

export interface PageStatus {
  /** Default 200. */
  readonly status?: number | undefined
  /** The value of `Retry-After`, if the response has it. */
  readonly retryAfterSeconds?: number | undefined
}

export interface Page extends PageStatus {
  readonly title: string
  /** Undefined on pages of an unknown server, such as error messages. */
  readonly serverName: string | undefined
  readonly body: Markup
  /** Targets of `form-action` beside this host. */
  readonly formTargets?: readonly string[]
  /**
   * Whether the opener keeps its reference to this window. Web apps open the consent page in a popup and
   * wait for its redirect, which a severed reference would prevent.
   */
  readonly keepsOpener?: boolean
}

export function pageResponse({
  status = 200,
  formTargets = [],
  keepsOpener = false,
  retryAfterSeconds,
  ...content
}: Page): Response {
  return htmlResponse(layout(content), {
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

function layout({ title, serverName, body }: Pick<Page, 'title' | 'serverName' | 'body'>): Markup {
  const name = serverName === undefined ? '' : ` – ${untrustedText(serverName, 60)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}${name}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${serverName === undefined ? undefined : html`<p class="site">${untrustedName(serverName)}</p>`}
${body}
</main>
</body>
</html>
`
}
