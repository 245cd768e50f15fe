/** Shows the consent page: for a new request, and again after an error or a change of person. */
import type { Client } from '../clients/clients.ts'
import { consentPage } from '../pages/consent-page.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { createFormToken } from './browser-form.ts'
import { consentView, loginForm } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import type { SignedIn } from './signed-in.ts'
import { type ConsentRequest, sealTransaction } from './transaction.ts'

export interface Showing {
  /** The person whom the page names; undefined asks for a sign-in. */
  readonly person: SignedIn | undefined
  /** The error of the last attempt. */
  readonly problem?: string
  readonly status?: number
}

/** Seals the request for this browser and this person, so that no other can answer the page. */
export async function showConsent(
  server: AuthorizationServer,
  request: Request,
  client: Client,
  consentRequest: ConsentRequest,
  { person, problem, status = 200 }: Showing,
): Promise<Response> {
  const login = person === undefined ? loginForm(server, request) : undefined
  if (login instanceof Response) return login
  const { csrf, browser, cookie } = await createFormToken(request, server.limits)
  const shown = { ...consentRequest, browser, shownTo: person?.subject }
  const form = { transaction: await sealTransaction(server, shown), csrf }
  const view = consentView(server, client, consentRequest, { ...form, login, person, problem })
  return withCookies(consentPage(view, status), cookie)
}
