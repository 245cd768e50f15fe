/** Builds the view of the consent page. */
import type { Client } from '../clients/clients.ts'
import { describeRedirectUri } from '../clients/redirect-uri.ts'
import { MIN_PASSPHRASE_LENGTH } from '../login/passphrase.ts'
import { messagePage } from '../pages/message-page.ts'
import type { ConsentView, LoginForm, ScopeView } from '../pages/views.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { needsConfirmation } from './client-trust.ts'
import { passphraseState } from './form-sign-in.ts'
import type { SignedIn } from './signed-in.ts'
import type { ConsentRequest } from './transaction.ts'

interface Form extends Pick<ConsentView, 'transaction' | 'csrf' | 'login' | 'problem'> {
  readonly person: SignedIn | undefined
}

export function consentView(
  server: AuthorizationServer,
  client: Client,
  { redirectUri, scopes, resource }: ConsentRequest,
  { person, ...form }: Form,
): ConsentView {
  const { kind, target, source } = describeRedirectUri(redirectUri)
  return {
    ...form,
    clientName: client.name ?? target,
    clientHost: client.host,
    redirectTarget: target,
    redirectKind: kind,
    redirectSource: source,
    scopes: describeScopes(server, scopes),
    dependsOnPerson: person === undefined && (server.admission?.limitsScopes ?? false),
    serverName: server.serverName,
    resource,
    administers: server.administers(resource),
    action: ENDPOINT.consent,
    signedInAs: person === undefined ? undefined : (person.name ?? person.subject),
    needsConfirmation: needsConfirmation(server, client, resource, form.login),
    signOutAction: ENDPOINT.logout,
  }
}

export function describeScopes(
  { scopes }: AuthorizationServer,
  names: readonly string[],
): readonly ScopeView[] {
  return names.map((name) => ({ name, description: scopes.describe(name) }))
}

/** The form of the sign-in, or the page that says why no sign-in is possible. */
export function loginForm(server: AuthorizationServer, request: Request): LoginForm | Response {
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
