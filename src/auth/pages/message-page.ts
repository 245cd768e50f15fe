/** A page with a message and no form. */

import { html, type Markup } from '../../pages/markup.ts'
import { untrustedHost, untrustedText } from '../../pages/untrusted-text.ts'
import { pageResponse } from './page-response.ts'
import type { MessageView } from './views.ts'

/** The title of an error of an authorization request. */
export const NO_CONNECTION = 'This app cannot connect'

export function messagePage({
  status,
  title,
  message,
  link,
  retryAfterSeconds,
}: MessageView): Response {
  const heading = untrustedText(title, 100)
  const body = html`<div class="card">
<h1>${heading}</h1>
<p>${untrustedText(message, 500)}</p>
${link === undefined ? undefined : linkTo(link)}
</div>`
  return pageResponse({ title: heading, serverName: undefined, body, status, retryAfterSeconds })
}

function linkTo({ href, host }: NonNullable<MessageView['link']>): Markup {
  return html`<p><a href="${href}" rel="noreferrer">Return the error to ${untrustedHost(host)}</a></p>
<p class="quiet">The app chose this address. Follow it only if you know the app.</p>`
}
