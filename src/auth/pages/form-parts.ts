/** Parts that several forms have. */
import { html, type Markup } from './markup.ts'
import { untrustedText } from './untrusted-text.ts'
import type { LoginView } from './views.ts'

/** A field that nobody sees. */
export function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** What was wrong with the last try; read out when the page appears. */
export function problemNote(problem: string | undefined): Markup | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="note bad" role="alert" id="problem">${untrustedText(problem, 500)}</p>`
}

/** What signing in takes, in the form that does it; `button` is the one to press. */
export function signInField(
  login: LoginView['login'],
  problem: string | undefined,
  button: string,
): Markup {
  if (login === 'open') {
    return html`<p class="note"><strong>No passphrase is set</strong>
While this server runs on this computer, pressing ${button} signs you in as its owner. Anywhere else
nobody could: set the secret <span class="code">EDGEWAY_PASSPHRASE</span> before you deploy it.</p>`
  }
  if (login !== 'passphrase') {
    return html`<p class="quiet">Next, you sign in with ${untrustedText(login.elsewhere, 60)}.</p>`
  }
  return html`<label for="passphrase">Passphrase</label>
<input id="passphrase" name="passphrase" type="password" required autocomplete="current-password"
autocapitalize="none" spellcheck="false"${problem === undefined ? undefined : html` autofocus aria-invalid="true" aria-describedby="problem"`}>`
}

/** Signing out is a change, so it is a form and not a link. */
export function signOutForm(action: string, fields: Markup, name: Markup): Markup {
  return html`<form class="person" method="post" action="${action}">
${fields}
<p class="quiet">Signed in as ${name}</p>
<button class="small" type="submit">Sign out</button>
</form>`
}
