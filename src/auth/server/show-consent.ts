/** Shows the consent page: for a new request, and again after an error or a change of person. */
import type { Client } from '../clients/clients.ts'
import { consentPage } from '../pages/consent-page.ts'
import type { PageStatus } from '../pages/page-response.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { createFormToken } from './browser-form.ts'
import { consentView, loginForm } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import { offerTo } from './offer.ts'
import type { SignedIn } from './signed-in.ts'
import { type ConsentRequest, sealTransaction, type Transaction } from './transaction.ts'

export interface Showing extends PageStatus {
  /** The person whom the page names; undefined asks for a sign-in. */
  readonly person: SignedIn | undefined
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
  server: AuthorizationServer,
  request: Request,
  client: Client,
  consentRequest: ConsentRequest,
  {
    person,
    problem,
    selectAccount = 'selectAccount' in consentRequest && consentRequest.selectAccount === true,
    status,
    retryAfterSeconds,
  }: Showing,
): Promise<Response> {
  const { scopes: requested } = consentRequest
  const offer = person ? await offerTo(server, person, requested) : { scopes: requested }
  if ('problem' in offer) {
    const refused = { ...offer, person: undefined, status: 403, selectAccount: true }
    return showConsent(server, request, client, consentRequest, refused)
  }
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  const { csrf, browser, cookie } = await createFormToken(request, server.limits)
  const { scopes: offered } = offer
  const shown: Transaction = {
    ...consentRequest,
    browser,
    shownTo: person?.subject,
    offered,
    selectAccount,
  }
  const form = { transaction: await sealTransaction(server, shown), csrf }
  const view = consentView(
    server,
    client,
    { ...consentRequest, scopes: offered },
    { ...form, login, person, problem },
  )
  return withCookies(consentPage(view, { status, retryAfterSeconds }), cookie)
}
