/** A page with a message and no form. */
import { layout } from './layout.ts'
import { html } from './markup.ts'
import { pageResponse } from './page-response.ts'
import { untrustedText } from './untrusted-text.ts'
import type { MessageView } from './views.ts'

export function messagePage({ status, title, message }: MessageView): Response {
  const heading = untrustedText(title, 100)
  const body = html`<div class="card">
<h1>${heading}</h1>
<p>${untrustedText(message, 500)}</p>
</div>`
  return pageResponse(layout({ title: heading, serverName: undefined, body }), { status })
}
