/**
 * `POST /authorize/decision`: what a person answered, and who they are if they had not said before.
 * Consent comes first: nobody is sent to sign in elsewhere for a client they have not approved.
 */
import type { Client } from '../clients/clients.ts'
import { LoginError, type Person } from '../login/login.ts'
import { OAuthError } from '../oauth-error.ts'
import { consentPage } from '../pages/consent-page.ts'
import { approve, deny } from './approve.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { checkForm, createFormToken } from './browser-form.ts'
import { beginCallback } from './callback.ts'
import { consentView } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import { tryPassphrase } from './passphrase-attempt.ts'
import { readForm } from './read-form.ts'
import { errorRedirect } from './redirect.ts'
import { mayConsent, type SignedIn, signInCookie } from './signed-in.ts'
import { openTransaction, sealTransaction, type Transaction } from './transaction.ts'

export async function handleDecision(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const form = await readForm(request)
  const browser = await checkForm(request, server.issuer, form.get('csrf'))
  const transaction = await openTransaction(server, form.get('transaction'))
  if (transaction?.browser !== browser) {
    throw new OAuthError(
      'invalid_request',
      'This page was shown in another browser, or too long ago: connect anew',
    )
  }
  const decision = form.get('decision')
  if (decision === 'deny') return deny(server, transaction)
  if (decision !== 'approve') {
    throw new OAuthError('invalid_request', 'The form says neither yes nor no')
  }
  const client = await server.clients.find(transaction.clientId)
  if (client === undefined) {
    throw new OAuthError('invalid_request', 'This client is not known here any more: connect anew')
  }
  if (transaction.shownTo !== undefined) {
    return approveAsShown(server, request, transaction, client)
  }
  if (server.login.kind === 'redirect') {
    return sendElsewhere(server, transaction)
  }
  return signInAndApprove(server, request, transaction, client, form)
}

/** Whoever has signed in since did not see this page: it is shown to them first. */
async function approveAsShown(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
  client: Client,
): Promise<Response> {
  const person = await mayConsent(server, request)
  if (person !== undefined && person.subject === transaction.shownTo) {
    return approve(server, transaction, client, { ...person, props: undefined })
  }
  const problem = 'Somebody else has signed in, or nobody any more: look again'
  return showAgain(server, request, transaction, client, person, { problem, status: 409 })
}

async function signInAndApprove(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
  client: Client,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const attempt = await tryPassphrase(server, request, form.get('passphrase'))
  if ('problem' in attempt) {
    return showAgain(server, request, transaction, client, undefined, attempt)
  }
  return withSignIn(
    server,
    attempt.person,
    await approve(server, transaction, client, attempt.person),
  )
}

/** The same question once more, to whoever is there now. */
async function showAgain(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
  client: Client,
  person: SignedIn | undefined,
  { problem, status }: { readonly problem: string; readonly status: number },
): Promise<Response> {
  const { csrf, cookie } = await createFormToken(request, server.limits)
  const shown = { ...transaction, shownTo: person?.subject }
  const form = { transaction: await sealTransaction(server, shown), csrf }
  const view = consentView(server, client, shown, form, person, problem)
  return withCookies(consentPage(view, status), cookie)
}

export async function withSignIn(
  server: AuthorizationServer,
  person: Person,
  response: Response,
): Promise<Response> {
  return withCookies(response, await signInCookie(server, person))
}

/** To sign in elsewhere; a provider that is down is told to the client. */
async function sendElsewhere(
  server: AuthorizationServer,
  transaction: Transaction,
): Promise<Response> {
  try {
    return await beginCallback(server, { kind: 'consent', transaction })
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    server.report({ type: 'internal-error', error })
    const unavailable = new OAuthError('temporarily_unavailable', 'Signing in is not possible now')
    return errorRedirect(transaction, server.issuer, unavailable)
  }
}
