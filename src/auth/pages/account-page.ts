/** The page of connected apps: one entry for each program, with a button to disconnect it, or one of its connections. */

import { html, type Markup } from '../../pages/markup.ts'
import {
  untrustedCode,
  untrustedHost,
  untrustedName,
  untrustedText,
} from '../../pages/untrusted-text.ts'
import { ENDPOINT } from '../server/authorization-server.ts'
import { apiKeyField, hidden, moment, problemNote, scopeList, signOutForm } from './page-parts.ts'
import { type PageStatus, pageResponse } from './page-response.ts'
import type {
  AccountView,
  AppAccess,
  AppConnection,
  ConnectedApp,
  KeyFormView,
  ShownSubscription,
} from './views.ts'

export function accountPage(view: AccountView, status: PageStatus = {}): Response {
  const { serverName, name, apps, csrf, notice, apiKey, sections } = view
  const body = html`<h1>Connected apps</h1>
${notice === undefined ? undefined : html`<p class="note good" role="status">${untrustedText(notice, 500)}</p>`}
${apps.length === 0 ? NOTHING : apps.map((app, index) => appCard(app, `app-${index}`, csrf))}
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

function appCard(app: ConnectedApp, id: string, csrf: string): Markup {
  const { name, host, access, connections } = app
  return html`<section class="card app">
<h2 id="${id}">${untrustedName(name)}</h2>
<p class="quiet">${host === undefined ? 'Unverified name' : untrustedHost(host)}</p>
${access.map(accessPart)}
<form method="post" action="${ENDPOINT.accountRevoke}">
${hidden('csrf', csrf)}
${connections.length === 1 ? disconnectOne(connections[0]?.clientId ?? '', id) : disconnectSome(app, id)}
</form>
</section>
`
}

function accessPart(access: AppAccess): Markup {
  return html`${scopeList(access.scopes)}
${access.administers ? html`<p class="note bad">This app can administer the server for everyone.</p>` : undefined}
<dl class="rows">
<div><dt>Connected to</dt> <dd>${untrustedCode(access.resource)}</dd></div>
<div><dt>Since</dt> <dd>${moment(access.createdAt)}</dd></div>
<div><dt>Last used</dt> <dd>${moment(access.lastUsedAt)}</dd></div>
</dl>
`
}

function disconnectOne(clientId: string, nameId: string): Markup {
  return html`${hidden('client', clientId)}
<div class="buttons"><button type="submit" aria-describedby="${nameId}">Disconnect</button></div>`
}

/** The buttons name what they disconnect: one connection, or all of the program. */
function disconnectSome({ program, connections, access }: ConnectedApp, nameId: string): Markup {
  const items = connections.map((connection, index) =>
    connectionItem(connection, `${nameId}-${index}`, access.length > 1),
  )
  return html`<details>
<summary>${`${connections.length}`} connections</summary>
<ul class="tokens">
${items}</ul>
</details>
<div class="buttons"><button name="program" value="${program}" aria-describedby="${nameId}">Disconnect all</button></div>`
}

function connectionItem(connection: AppConnection, id: string, namesResources: boolean): Markup {
  const { clientId, scopes, resources, createdAt, lastUsedAt } = connection
  return html`<li class="row"><div><p id="${id}">${moment(createdAt)}</p>
<p class="quiet">Last used ${moment(lastUsedAt)}</p>
<p class="quiet">${untrustedCode(scopes.join(' '))}${namesResources ? resources.map((resource) => html` ${untrustedCode(resource)}`) : undefined}</p></div>
<button class="small" name="client" value="${clientId}" aria-describedby="${id}">Disconnect</button></li>
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
<p class="quiet">Created ${moment(createdAt)}<br>${lastDeliveryAt === undefined ? 'Nothing delivered' : html`Last delivery ${moment(lastDeliveryAt)}`}<br>${expiresAt === null ? 'Does not expire' : html`Expires ${moment(expiresAt)}`}</p>
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
