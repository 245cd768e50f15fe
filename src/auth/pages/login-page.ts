/** The sign-in page in front of the account page and of the inspector. */

import { html } from '../../pages/markup.ts'
import { untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import { loginTargets } from './form-targets.ts'
import { hidden, problemNote, signInField } from './page-parts.ts'
import { type PageStatus, pageResponse } from './page-response.ts'
import type { LoginView } from './views.ts'

export function loginPage(view: LoginView, status: PageStatus = {}): Response {
  const { serverName, purpose, action, transaction, csrf, login } = view
  const { problem, selectAccount = false } = view
  const provider = typeof login === 'object' && 'provider' in login ? login.provider : undefined
  const body = html`<div class="card">
<h1>Sign in to ${untrustedName(serverName)}</h1>
<p>${purpose}</p>
<form method="post" action="${action}">
${hidden('transaction', transaction)}
${hidden('csrf', csrf)}
${selectAccount ? hidden('select-account', 'yes') : undefined}
${problemNote(problem)}
${provider === undefined ? signInField(login, problem, 'Sign in') : undefined}
<div class="buttons">
<button class="main" type="submit">${provider === undefined ? 'Sign in' : `Continue with ${untrustedText(provider, 60)}`}</button>
</div>
</form>
</div>`
  return pageResponse({
    title: 'Sign in',
    serverName,
    body,
    ...status,
    formTargets: loginTargets(login),
  })
}
