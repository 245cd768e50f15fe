/** The page of connected apps: one entry for each program, with a button to disconnect each of its clients. */

import { html, type Markup } from '../../pages/markup.ts'
import {
  untrustedCode,
  untrustedHost,
  untrustedName,
  untrustedText,
} from '../../pages/untrusted-text.ts'
import { ENDPOINT } from '../server/authorization-server.ts'
import { apiKeyField, day, hidden, problemNote, scopeList, signOutForm } from './page-parts.ts'
import { type PageStatus, pageResponse } from './page-response.ts'
import type {
  AccountView,
  AppAccess,
  ConnectedApp,
  KeyFormView,
  ShownSubscription,
} from './views.ts'

export function accountPage(view: AccountView, status: PageStatus = {}): Response {
  const { serverName, name, apps, csrf, notice, apiKey, sections } = view
  const body = html`<h1>Connected apps</h1>
${notice === undefined ? undefined : html`<p class="note good" role="status">${untrustedText(notice, 500)}</p>`}
${apps.length === 0 ? NOTHING : programsOf(apps).map((own, index) => programCard(own, `app-${index}`, view))}
${apiKey === undefined ? undefined : keyCard(apiKey, csrf)}
${view.subscriptions.length === 0 ? undefined : subscriptionsCard(view)}
${sections}
${signOutForm(hidden('csrf', csrf), untrustedName(name))}`
  return pageResponse({
    title: 'Connected apps',
    serverName,
    body,
    ...status,
    formTargets: view.formTargets,
  })
}

const NOTHING = html`<div class="card app"><p>No app is connected to your account.</p></div>`

/** A program that registers at each connection is another client each time, with the same name. */
function programsOf(apps: readonly ConnectedApp[]): readonly (readonly ConnectedApp[])[] {
  const nameOf = ({ clientName, clientHost }: ConnectedApp) =>
    JSON.stringify([clientName, clientHost])
  return [...Map.groupBy(apps, nameOf).values()]
}

function programCard(program: readonly ConnectedApp[], id: string, view: AccountView): Markup {
  const { clientName = '', clientHost } = program[0] ?? {}
  return html`<section class="card app">
<h2 id="${id}">${untrustedName(clientName)}</h2>
<p class="quiet">${clientHost === undefined ? 'Unverified name' : untrustedHost(clientHost)}</p>
${program.map((app, index) => appPart(app, id, `${id}-${index}`, view))}</section>
`
}

function appPart(app: ConnectedApp, nameId: string, id: string, { csrf }: AccountView): Markup {
  return html`${app.access.map((access, index) => accessPart(access, `${id}-${index}`))}
<form method="post" action="${ENDPOINT.accountRevoke}">
${hidden('client', app.clientId)}
${hidden('csrf', csrf)}
<div class="buttons"><button type="submit" aria-describedby="${nameId} ${id}-0">Disconnect</button></div>
</form>
`
}

function accessPart(access: AppAccess, id: string): Markup {
  return html`${scopeList(access.scopes)}
${access.administers ? html`<p class="note bad">This app can administer the server for everyone.</p>` : undefined}
<dl class="rows">
<div><dt>Connected to</dt> <dd>${untrustedCode(access.resource)}</dd></div>
<div><dt>Since</dt> <dd id="${id}">${day(access.createdAt)}</dd></div>
<div><dt>Last used</dt> <dd>${day(access.lastUsedAt)}</dd></div>
</dl>
`
}

/** One form for all subscriptions, whose buttons name theirs. */
function subscriptionsCard({ subscriptions, csrf }: AccountView): Markup {
  return html`<h2 class="next">Events</h2>
<form class="card app" method="post" action="${ENDPOINT.accountSubscriptions}">
${hidden('csrf', csrf)}
<p class="quiet">This server sends events to these apps, also while you do not use them.</p>
<ul class="tokens">
${subscriptions.map(subscriptionItem)}</ul>
<div class="buttons"><button name="subscription" value="all">End all</button></div>
</form>
`
}

function subscriptionItem(subscription: ShownSubscription, index: number): Markup {
  const id = `subscription-${index}`
  const { type, callback, clientName, state, createdAt, expiresAt, lastDeliveryAt } = subscription
  return html`<li><h3 id="${id}">${untrustedName(clientName)}</h3>
<p class="quiet">${untrustedCode(type)} ${untrustedHost(callback)}</p>
${state === 'active' ? undefined : html`<p class="note">${state === 'suspended' ? 'Paused, because deliveries fail.' : 'Not confirmed yet.'}</p>`}
<p class="quiet">Created ${day(createdAt)}, ${lastDeliveryAt === undefined ? 'nothing delivered' : html`last delivery ${day(lastDeliveryAt)}`}, ${expiresAt === null ? 'does not expire' : html`expires ${day(expiresAt)}`}</p>
<button class="small" name="subscription" value="${subscription.id}" aria-describedby="${id}">End</button></li>
`
}

function keyCard({ label, problem }: KeyFormView, csrf: string): Markup {
  return html`<section class="card app">
<h2>Replace the key</h2>
<p class="quiet">Connected apps work with the key that you entered last. The new key must belong to the same account.</p>
<form method="post" action="${ENDPOINT.accountKey}">
${hidden('csrf', csrf)}
${problemNote(problem)}
${apiKeyField(label, problem)}
<div class="buttons"><button type="submit">Replace</button></div>
</form>
</section>
`
}
