/** The page that shows a new personal access token, once. */

import { html } from '../../pages/markup.ts'
import { untrustedName } from '../../pages/untrusted-text.ts'
import { day } from './day.ts'
import { layout } from './layout.ts'
import { pageResponse } from './page-response.ts'
import type { NewTokenView } from './views.ts'

export function newTokenPage({
  serverName,
  name,
  token,
  expiresAt,
  accountPath,
}: NewTokenView): Response {
  const body = html`<div class="card">
<h1>Your new token</h1>
<p>${untrustedName(name)}, valid until ${day(expiresAt)}</p>
<label for="token">Token</label>
<textarea id="token" class="code" rows="6" readonly spellcheck="false" autocomplete="off">${token}</textarea>
<p class="note"><strong>Copy it now</strong>
It is not shown again. A program that has it uses this server in your name, so keep it like a password.</p>
<p><a href="${accountPath}">Back to your account</a></p>
</div>`
  return pageResponse(layout({ title: 'New token', serverName, body }))
}
