/** Shows the consent page, for a new request and again after an error or a change of person, and builds its view. */

import { describeRedirectUri } from '../clients/redirect-uri.ts'
import { MIN_PASSPHRASE_LENGTH } from '../login/passphrase.ts'
import { consentPage } from '../pages/consent-page.ts'
import { messagePage } from '../pages/message-page.ts'
import type { PageStatus } from '../pages/page-response.ts'
import type { ConsentView, LoginForm, ScopeView } from '../pages/views.ts'
import type { AuthorizationServer, PageServer } from './authorization-server.ts'
import { createFormToken } from './browser-form.ts'
import { choosableScopes } from './chosen-scopes.ts'
import { needsConfirmation } from './client-trust.ts'
import { type ConsentContext, sealConsent } from './consent-request.ts'
import { withCookies } from './cookies.ts'
import { passphraseState } from './form-sign-in.ts'
import { offerTo } from './offer.ts'
import type { SignedIn } from './signed-in.ts'

export interface Showing extends PageStatus {
  /** The person whom the page names. Absent: the page asks for a sign-in. */
  readonly person?: SignedIn | undefined
  /** The error of the last attempt. */
  readonly problem?: string
  /** Whether the person was refused, and signs in with another account. */
  readonly selectAccount?: boolean
}

/**
 * Seals the request for this browser and this person, so that no other can answer the page. It shows the
 * scopes that the person can grant. A person who may grant nothing is asked to sign in as another one.
 */
export async function showConsent(
  context: ConsentContext,
  showing: Showing = {},
): Promise<Response> {
  const { server, request, consent } = context
  const { person, problem, selectAccount = consent.selectAccount === true } = showing
  const { scopes: requested } = consent
  const offer = person ? await offerTo(server, person, requested) : { scopes: requested }
  if ('problem' in offer)
    return showConsent(context, { ...offer, status: 403, selectAccount: true })
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  const { csrf, browser, cookie } = await createFormToken(request, server.limits)
  const { scopes: offered } = offer
  const choices = person && (await server.parts.consentChoices?.show(context, person))
  const own = { browser, shownTo: person?.subject, offered, selectAccount, choices: choices?.shown }
  const transaction = await sealConsent(server, { ...consent, ...own })
  const form = { transaction, csrf, login, problem, choices: choices?.body }
  const view = { ...form, ...describeRequest(context, offered, person, login) }
  const { status, retryAfterSeconds } = showing
  return withCookies(consentPage(view, { status, retryAfterSeconds }), cookie)
}

function describeRequest(
  context: ConsentContext,
  scopes: readonly string[],
  person: SignedIn | undefined,
  login: LoginForm | undefined,
): Omit<ConsentView, 'transaction' | 'csrf' | 'login' | 'problem' | 'choices'> {
  const { server, client, consent } = context
  const { redirectUri, resource } = consent
  const { kind, target, source } = describeRedirectUri(redirectUri)
  return {
    clientName: client.name ?? target,
    clientHost: client.host,
    redirectTarget: target,
    redirectKind: kind,
    redirectSource: source,
    scopes: scopeChoices(context, scopes),
    dependsOnPerson: person === undefined && (server.admission?.limitsScopes ?? false),
    serverName: server.serverName,
    resource,
    administers: server.administers(resource),
    signedInAs: person === undefined ? undefined : (person.name ?? person.subject),
    needsConfirmation: needsConfirmation(server, client, resource, login),
  }
}

function scopeChoices(
  { server, consent: { leftOut = [] } }: ConsentContext,
  names: readonly string[],
): ConsentView['scopes'] {
  const choosable = choosableScopes(server.scopes, names)
  return describeScopes(server, names).map((scope) =>
    choosable.has(scope.name) ? { ...scope, ticked: !leftOut.includes(scope.name) } : scope,
  )
}

export function describeScopes(
  { scopes }: AuthorizationServer,
  names: readonly string[],
): readonly ScopeView[] {
  return names.map((name) => ({ name, description: scopes.describe(name) }))
}

/** The form of the sign-in, or the page that says why no sign-in is possible. */
export function loginForm(server: PageServer, request: Request): LoginForm | Response {
  const { login } = server
  if (login.kind === 'redirect') return { provider: login.name }
  if (login.kind === 'api-key') return { apiKey: login.label }
  const state = passphraseState(server, login, request)
  if (state === 'open') return 'open'
  if (state === 'ready') return 'passphrase'
  const reason = `passphrase-${state}` as const
  const message = UNAVAILABLE[reason]
  server.report({ type: 'sign-in-refused', reason, message })
  return messagePage({ status: 503, title: 'Sign-in is not set up yet', message })
}

const SET_SECRET =
  'with: wrangler secret put EDGEWAY_PASSPHRASE. On a computer for development, set the variable EDGEWAY_ORIGIN to development instead'

const UNAVAILABLE = {
  'passphrase-unset': `No passphrase is set on this server. Its operator can set one ${SET_SECRET}`,
  'passphrase-too-short': `A passphrase of this server has fewer than ${MIN_PASSPHRASE_LENGTH} characters, so none is accepted. Its operator can set a longer one ${SET_SECRET}`,
} as const
