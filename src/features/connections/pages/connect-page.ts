/** The page at which a person connects an account, or lets an app use one that is connected. */
import { loginTargets } from '../../../auth/pages/form-targets.ts'
import {
  apiKeyField,
  hidden,
  moment,
  problemNote,
  signOutForm,
} from '../../../auth/pages/page-parts.ts'
import { type PageStatus, pageResponse } from '../../../auth/pages/page-response.ts'
import { html } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import type { Service } from '../service.ts'
import type { AccountView, Visit } from '../store.ts'

export interface ConnectView extends PageStatus {
  readonly serverName: string
  /** The name of the signed-in person. */
  readonly personName: string
  readonly service: Service
  readonly visit: Visit
  /** The accounts that can be chosen. */
  readonly accounts: readonly AccountView[]
  /** Whether the person has as many accounts there as can be. */
  readonly isFull: boolean
  readonly action: string
  readonly csrf: string
  readonly problem?: string | undefined
}

export function connectPage(view: ConnectView): Response {
  const { serverName, personName, service, visit, accounts, isFull, action, csrf, problem } = view
  const { title, login } = service
  const { app, tool, reason } = visit.about
  const name = untrustedText(title, 60)
  const another = accounts.length === 0 ? `Connect ${name}` : 'Another account'
  const rows = [
    ['For', reason && html`“${untrustedText(reason, 200)}”`],
    ['Asked by', tool && untrustedText(tool, 60)],
    ['Access', visit.scopes.length > 0 && scopeNames(visit.scopes)],
  ] as const
  const body = html`<div class="card">
<h1>${untrustedName(app ?? 'An app')} wants to use ${name}</h1>
<dl class="rows">
${rows.map(([term, value]) => (value ? html`<div><dt>${term}</dt> <dd>${value}</dd></div>` : undefined))}
</dl>
<p class="quiet">The app uses the account through ${untrustedName(serverName)}, and never sees its password or token.</p>
<form method="post" action="${action}">
${hidden('csrf', csrf)}
${problemNote(problem)}
${accounts.length === 0 ? undefined : html`<ul class="tokens">${accounts.map(choice)}</ul>`}
${login.kind === 'api-key' && !isFull ? apiKeyField(login.label, problem) : undefined}
${isFull ? html`<p class="note">You have as many ${name} accounts here as can be. End one on the <a href="/account">account page</a> to connect another.</p>` : undefined}
<div class="buttons">
${isFull ? undefined : html`<button${accounts.length === 0 ? html` class="main"` : undefined} name="do" value="connect">${another}</button>`}
<button name="do" value="decline" formnovalidate>Not now</button>
</div>
</form>
</div>
${signOutForm(hidden('csrf', csrf), untrustedName(personName))}`
  return pageResponse({
    title: `Connect ${name}`,
    serverName,
    body,
    status: view.status,
    retryAfterSeconds: view.retryAfterSeconds,
    formTargets: login.kind === 'redirect' ? loginTargets({ provider: title }) : [],
  })
}

const scopeNames = (scopes: readonly string[]) =>
  html`${scopes.map((scope) => html`${untrustedCode(scope)} `)}`

/** An account that is connected already. Its button needs no key of the form. */
const choice = ({ key, label, usedAt }: AccountView, index: number) =>
  html`<li><div class="row"><div><p id="account-${`${index}`}"><strong>${untrustedName(label)}</strong></p>
<p class="quiet">Last used ${moment(usedAt)}</p></div>
<button class="main small" name="account" value="${key}" formnovalidate aria-describedby="account-${`${index}`}">Use this account</button></div></li>
`
