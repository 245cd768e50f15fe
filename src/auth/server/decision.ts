/**
 * `POST /authorize/decision`: the answer to the consent page, together with the sign-in when the page
 * asked for one. Consent precedes an upstream sign-in, so that no client can start one unapproved.
 */
import type { Client } from '../clients/clients.ts'
import { LoginError, type Person } from '../login/login.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { approveOrAskAgain, deny } from './approve.ts'
import type { AuthorizationServer, Handle } from './authorization-server.ts'
import { beginCallback } from './callback.ts'
import { needsConfirmation } from './client-trust.ts'
import { loginForm } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import { tryFormSignIn } from './form-sign-in.ts'
import { deviceCookie } from './known-device.ts'
import { errorRedirect } from './redirect.ts'
import { showConsent } from './show-consent.ts'
import { mayConsent, signIn } from './signed-in.ts'
import { clientOf, readTransactionForm, type Transaction } from './transaction.ts'

export const handleDecision: Handle = async (server, request) => {
  const { form, transaction } = await readTransactionForm(server, request)
  if (transaction === undefined) {
    throw invalidRequest(
      'This page has expired or was shown in another browser. Please connect again from the app.',
    )
  }
  server.identified?.(transaction.clientId)
  const decision = form.get('decision')
  if (decision === 'deny') return deny(server, transaction)
  if (decision !== 'approve') {
    throw invalidRequest('decision must be approve or deny')
  }
  const client = await clientOf(server, transaction)
  const { shownTo } = transaction
  const person = shownTo === undefined ? undefined : await mayConsent(server, request)
  const showAgain = (problem: string, status: number) =>
    showConsent(server, request, client, transaction, { person, problem, status })
  if (person?.subject !== shownTo) {
    return showAgain('The signed-in account has changed. Please check the request again.', 409)
  }
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  if (
    needsConfirmation(server, client, transaction.resource, login) &&
    form.get('confirmed') !== 'yes'
  ) {
    return showAgain('Please tick the box if you want to connect this app.', 400)
  }
  if (person !== undefined) {
    return approveOrAskAgain(server, request, transaction, client, { ...person, props: undefined })
  }
  if (server.login.kind === 'redirect') return beginUpstreamSignIn(server, request, transaction)
  return signInAndApprove(server, request, transaction, client, form)
}

async function signInAndApprove(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
  client: Client,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const attempt = await tryFormSignIn(server, request, form)
  if ('problem' in attempt) {
    return showConsent(server, request, client, transaction, { person: undefined, ...attempt })
  }
  const { person } = attempt
  return approveOrAskAgain(server, request, transaction, client, person, (response) =>
    withSignIn(server, person, response),
  )
}

/** Signs the browser in and remembers it as a device of the person. */
export async function withSignIn(
  server: AuthorizationServer,
  person: Person,
  response: Response,
): Promise<Response> {
  return withCookies(
    response,
    await signIn(server, person),
    await deviceCookie(server, person.subject),
  )
}

/** Redirects to the upstream provider. When that is unavailable, redirects to the client with the error. */
async function beginUpstreamSignIn(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
): Promise<Response> {
  try {
    return await beginCallback(server, request, { kind: 'consent', transaction })
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    server.report({ type: 'internal-error', error })
    const unavailable = new OAuthError(
      'temporarily_unavailable',
      'Signing in is not possible at the moment',
    )
    return errorRedirect(transaction, server.issuer, unavailable)
  }
}
