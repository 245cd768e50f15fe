/** Parts that several forms share. */
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedCode, untrustedText } from '../../pages/untrusted-text.ts'
import { ENDPOINT } from '../server/authorization-server.ts'
import type { LoginForm, ScopeView } from './views.ts'

/** A hidden form field. */
export function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** The error of the last attempt. Screen readers announce it when the page opens. */
export function problemNote(problem: string | undefined): Markup | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="note bad" role="alert" id="problem">${untrustedText(problem, 500)}</p>`
}

/**
 * The sign-in part of a form.
 *
 * @param button the label of the button that submits the form
 * @param id the id of the field, on a page with several. Default: its name
 */
export function signInField(
  login: LoginForm,
  problem: string | undefined,
  button: string,
  id?: string,
): Markup {
  if (login === 'open') {
    return html`<p class="note"><strong>No passphrase is set</strong>
On this computer, ${button} signs you in as the owner. Before you deploy this server, set the secret
<span class="code">EDGEWAY_PASSPHRASE</span>. Without it, signing in works on this computer only.</p>`
  }
  if (login === 'passphrase') return secretField('passphrase', 'Passphrase', problem, id)
  if ('apiKey' in login) return apiKeyField(login.apiKey, problem, id)
  return html`<p class="quiet">Next, you sign in with ${untrustedText(login.provider, 60)}.</p>`
}

/** A field for an API key. @param problem the error of the last attempt with the field */
export function apiKeyField(label: string, problem: string | undefined, id?: string): Markup {
  return secretField('api_key', untrustedText(label, 60), problem, id)
}

/** Passwords are filled in by the browser. An API key is pasted, and the browser does not offer to store it. */
function secretField(
  name: 'passphrase' | 'api_key',
  label: string,
  problem: string | undefined,
  id: string = name,
): Markup {
  const autocomplete = name === 'passphrase' ? 'current-password' : 'off'
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="password" required autocomplete="${autocomplete}"
autocapitalize="none" spellcheck="false"${problem === undefined ? undefined : html` autofocus aria-invalid="true" aria-describedby="problem"`}>`
}

/** Signing out changes state, so it is a form instead of a link. */
export function signOutForm(fields: Markup, name: Markup): Markup {
  return html`<form class="person" method="post" action="${ENDPOINT.logout}">
${fields}
<p class="quiet">Signed in as ${name}</p>
<button class="small" type="submit">Sign out</button>
</form>`
}

/** A list of scopes: the description and the name of each. */
export function scopeList(scopes: readonly ScopeView[]): Markup {
  const items = scopes.map(
    ({ name, description }) =>
      html`<li><bdi>${untrustedText(description, 300)}</bdi> ${untrustedCode(name)}</li>
`,
  )
  return html`<ul class="scopes">
${items}</ul>`
}

/** A group of boxes, one for each scope: its description and its name. */
export function scopeBoxes(
  legend: Markup | string,
  scopes: readonly ScopeView[],
  isTicked: (name: string) => boolean,
): Markup {
  return html`<fieldset><legend>${legend}</legend>
${scopes.map(
  ({ name, description }) =>
    html`<label class="check"><input type="checkbox" name="scope ${name}" value="yes"${isTicked(name) ? html` checked` : undefined}>
<span>${untrustedText(description, 300)} ${untrustedCode(name)}</span></label>
`,
)}</fieldset>`
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const TIMES = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** A day and its time in UTC, because the server does not know the reader's time zone. */
export function moment(time: number): Markup {
  return html`<time datetime="${new Date(time).toISOString()}">${DATES.format(time)}, ${TIMES.format(time)} UTC</time>`
}
