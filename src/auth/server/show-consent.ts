/** Shows the consent page: for a new request, and again after an error or a change of person. */
import { consentPage } from '../pages/consent-page.ts'
import type { PageStatus } from '../pages/page-response.ts'
import { createFormToken } from './browser-form.ts'
import { consentView, loginForm } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import { offerTo } from './offer.ts'
import type { SignedIn } from './signed-in.ts'
import {
  type ConsentRequest,
  type ConsentStep,
  sealTransaction,
  type Transaction,
} from './transaction.ts'

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
  step: ConsentStep<ConsentRequest & Partial<Transaction>>,
  showing: Showing = {},
): Promise<Response> {
  const { server, request, client, consent } = step
  const { person, problem, selectAccount = consent.selectAccount === true } = showing
  const { scopes: requested } = consent
  const offer = person ? await offerTo(server, person, requested) : { scopes: requested }
  if ('problem' in offer) {
    return showConsent(step, { ...offer, status: 403, selectAccount: true })
  }
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  const { csrf, browser, cookie } = await createFormToken(request, server.limits)
  const { scopes: offered } = offer
  const shown = { ...consent, browser, shownTo: person?.subject, offered, selectAccount }
  const form = { transaction: await sealTransaction(server, shown), csrf }
  const view = consentView(
    server,
    client,
    { ...consent, scopes: offered },
    { ...form, login, person, problem },
  )
  const { status, retryAfterSeconds } = showing
  return withCookies(consentPage(view, { status, retryAfterSeconds }), cookie)
}
