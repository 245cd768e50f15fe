/** The consent page: which app wants to connect, what it may do, and where the answer is sent. */

import { html, type Markup } from '../../pages/markup.ts'
import { untrustedCode, untrustedHost, untrustedName } from '../../pages/untrusted-text.ts'
import { ENDPOINT } from '../server/authorization-server.ts'
import { consentTargets } from './form-targets.ts'
import {
  hidden,
  problemNote,
  scopeBoxes,
  scopeList,
  signInField,
  signOutForm,
} from './page-parts.ts'
import { type PageStatus, pageResponse } from './page-response.ts'
import type { ConsentView } from './views.ts'

export function consentPage(view: ConsentView, status: PageStatus = {}): Response {
  const { serverName } = view
  const body = html`<div class="card">
<h1>${untrustedName(view.clientName)} wants to ${view.administers ? 'administer' : 'connect to'} ${untrustedName(serverName)}</h1>
${view.administers ? ADMINISTERS : undefined}
${identity(view)}
${redirectWarning(view)}
${decisionForm(view)}
</div>
${signedInAs(view)}`
  return pageResponse({
    title: 'Connect an app',
    serverName,
    body,
    ...status,
    formTargets: consentTargets(view),
    keepsOpener: true,
  })
}

const ADMINISTERS = html`<p class="note bad"><strong>This gives control over the whole server</strong>
The app can see, end and delete what belongs to every person, and replace the keys of the server. Deny it,
unless you operate this server and have just started the app yourself.</p>`

function identity({ clientHost, redirectTarget, redirectKind, resource }: ConsentView): Markup {
  const app =
    clientHost === undefined
      ? html`<strong>Unverified:</strong> the app chose this name itself`
      : untrustedHost(clientHost)
  return html`<dl>
<div><dt>App</dt> <dd>${app}</dd></div>
<div><dt>Your answer goes to</dt> <dd>${destination(redirectKind, redirectTarget)}</dd></div>
<div><dt>Connects to</dt> <dd>${untrustedCode(resource)}</dd></div>
</dl>`
}

function destination(kind: ConsentView['redirectKind'], target: string): Markup {
  if (kind === 'loopback') return html`this computer (${untrustedHost(target)})`
  if (kind === 'app') return html`an app on this device (${untrustedHost(target)})`
  return untrustedHost(target)
}

function redirectWarning({ redirectKind, redirectTarget }: ConsentView): Markup | undefined {
  if (redirectKind === 'https') return undefined
  const receiver =
    redirectKind === 'loopback'
      ? html`a program on this computer. Any program on it can send this request under any name`
      : html`the app on this device that opens addresses starting with
${untrustedHost(redirectTarget)}. This server cannot check which app that is, and any app on it can send
this request`
  return html`<p class="note"><strong>Allow this only if you have just started it yourself</strong>
Your answer goes to ${receiver}.</p>`
}

function permissions({ scopes, dependsOnPerson }: ConsentView): Markup {
  if (scopes.length === 0) return html`<h2>It requests no specific permissions</h2>`
  const limit = dependsOnPerson
    ? html`
<p class="quiet">It receives only what your account may do.</p>`
    : undefined
  const fixed = scopes.filter(({ ticked }) => ticked === undefined)
  const choices = scopes.filter(({ ticked }) => ticked !== undefined)
  return html`<h2>It will be able to</h2>
${fixed.length === 0 ? undefined : scopeList(fixed)}
${choices.length === 0 ? undefined : choiceOf(choices)}${limit}`
}

/** The hidden field tells a form with boxes, of which the browser sends the ticked ones, from one without. */
function choiceOf(scopes: ConsentView['scopes']): Markup {
  const ticked = new Set(scopes.filter((scope) => scope.ticked).map(({ name }) => name))
  return html`${hidden('choice', 'yes')}
${scopeBoxes(html`<span class="quiet">Untick what it need not do</span>`, scopes, (name) => ticked.has(name))}`
}

/** The browser does not send Allow before the box is ticked, and neither does the server accept it. */
function confirmation({ administers }: ConsentView): Markup {
  const trust = administers ? 'I trust this app to administer the server' : 'I trust this app'
  return html`<label class="check"><input type="checkbox" name="confirmed" value="yes" required>
I started this connection, and ${trust}</label>`
}

function decisionForm(view: ConsentView): Markup {
  const { transaction, csrf, login, problem, needsConfirmation } = view
  return html`<form method="post" action="${ENDPOINT.consent}">
${hidden('transaction', transaction)}
${hidden('csrf', csrf)}
${permissions(view)}
${view.choices}
${problemNote(problem)}
${login === undefined ? undefined : signInField(login, problem, 'Allow')}
${needsConfirmation ? confirmation(view) : undefined}
<div class="buttons">
<button class="main" type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>`
}

function signedInAs(view: ConsentView): Markup | undefined {
  const { signedInAs: name, csrf, transaction } = view
  if (name === undefined) return undefined
  const fields = html`${hidden('csrf', csrf)}${hidden('transaction', transaction)}`
  return signOutForm(fields, untrustedName(name))
}
