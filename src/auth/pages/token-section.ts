/**
 * The personal access tokens on the account page: the list, and the form that creates one. And the page that shows a
 * new one, once.
 */

import { html, type Markup } from '../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import { ENDPOINT } from '../server/authorization-server.ts'
import { hidden, moment, problemNote, scopeBoxes, signInField } from './page-parts.ts'
import { pageResponse } from './page-response.ts'
import type { NewTokenView, TokenFormView, TokensView, TokenView } from './views.ts'

export function tokenSection({ tokens, form }: TokensView, csrf: string): Markup {
  return html`<h2 class="next">Personal access tokens</h2>
${tokens.length === 0 ? NO_TOKENS : tokenList(tokens, csrf)}
${form === undefined ? undefined : tokenForm(form, csrf)}
`
}

const NO_TOKENS = html`<div class="card app">
<p>You have no token. A token lets an editor, a script or a job use this server in your name.</p>
</div>`

/** One form for all tokens, whose buttons name theirs. */
function tokenList(tokens: readonly TokenView[], csrf: string): Markup {
  return html`<form class="card app" method="post" action="${ENDPOINT.accountTokensRevoke}">
${hidden('csrf', csrf)}
<ul class="tokens">
${tokens.map(tokenItem)}</ul>
</form>`
}

function tokenItem(token: TokenView, index: number): Markup {
  const id = `token-${index}`
  const { tokenId, name, resource, scopes, createdAt, lastUsedAt, expiresAt } = token
  return html`<li><h3 id="${id}">${untrustedName(name)}</h3>
<p class="quiet">${untrustedCode(scopes.join(' '))} ${untrustedCode(resource)}</p>
${token.administers ? html`<p class="note bad">This token can administer the server for everyone.</p>` : undefined}
<p class="quiet">Created ${moment(createdAt)}<br>${lastUsedAt === undefined ? 'Never used' : html`Last used ${moment(lastUsedAt)}`}<br>Expires ${moment(expiresAt)}</p>
<button class="small" name="token" value="${tokenId}" aria-describedby="${id}">Revoke</button></li>
`
}

function tokenForm(view: TokenFormView, csrf: string): Markup {
  const { login, problem, draft, scopes, lifetimes } = view
  return html`<details class="card app"${problem === undefined ? undefined : html` open`}>
<summary>Create a token</summary>
<form method="post" action="${ENDPOINT.accountTokens}">
${hidden('csrf', csrf)}
${problemNote(problem)}
<label for="name">Name</label>
<input id="name" name="name" type="text" required maxlength="60" autocomplete="off" value="${draft.name}">
${
  scopes.length === 0
    ? undefined
    : scopeBoxes('It may', scopes, (name) => draft.scopes.includes(name))
}
${resourceField(view)}
<label for="lifetime">Expires after</label>
<select id="lifetime" name="lifetime">${lifetimes.map(({ value, label }) => option(value, label, draft.lifetime))}</select>
${signInField(login, undefined, 'Create', 'token-sign-in')}
<div class="buttons"><button type="submit">Create</button></div>
</form>
</details>`
}

/** A server with one address needs no field. Where people choose an address of a form, it is text. */
function resourceField({ resources, anyResource, draft }: TokenFormView): Markup | undefined {
  const label = html`<label for="resource">Address of the server</label>`
  if (anyResource) {
    return html`${label}
<input id="resource" name="resource" type="url" required autocomplete="off" spellcheck="false" value="${draft.resource}">`
  }
  if (resources.length < 2) return undefined
  return html`${label}
<select id="resource" name="resource">${resources.map(({ resource, administers }) =>
    option(
      resource,
      administers ? `${resource} (administers the server for everyone)` : resource,
      draft.resource,
    ),
  )}</select>`
}

function option(value: string, label: string, chosen: string): Markup {
  return html`<option value="${value}"${value === chosen ? html` selected` : undefined}>${untrustedText(label, 200)}</option>
`
}

export function newTokenPage({ serverName, name, token, expiresAt }: NewTokenView): Response {
  const body = html`<div class="card">
<h1>Your new token</h1>
<p>${untrustedName(name)}, valid until ${moment(expiresAt)}</p>
<label for="token">Token</label>
<textarea id="token" class="code" rows="6" readonly spellcheck="false" autocomplete="off">${token}</textarea>
<p class="note"><strong>Copy it now</strong>
It is not shown again. A program that has it uses this server in your name, so keep it like a password.</p>
<p><a href="${ENDPOINT.account}">Back to your account</a></p>
</div>`
  return pageResponse({ title: 'New token', serverName, body })
}
