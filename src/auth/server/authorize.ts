/** `GET /authorize`: shows the consent page, or approves at once when the consent is remembered. */

import { describeRedirectUri } from '../clients/redirect-uri.ts'
import { OAuthError } from '../oauth-error.ts'
import { messagePage, NO_CONNECTION } from '../pages/message-page.ts'
import { approve } from './approve.ts'
import type { AuthorizationServer, Handle } from './authorization-server.ts'
import {
  type AuthorizeRequest,
  type RedirectedError,
  readAuthorizeRequest,
} from './authorize-request.ts'
import { isVetted, mayRememberConsent } from './client-trust.ts'
import { createConsentRequest } from './consent-request.ts'
import { offerTo } from './offer.ts'
import { errorRedirect } from './redirect.ts'
import { showConsent } from './show-consent.ts'
import { mayConsent } from './signed-in.ts'

export const handleAuthorize: Handle = async (server, request) => {
  const read = await readAuthorizeRequest(server, request)
  return read.ok ? requestConsent(server, request, read.value) : refuse(server, read.error)
}

/**
 * Redirects the error to the client. A web site or an app that registered itself receives it only when the
 * person follows a link: otherwise the address of this server would lead to any site of an attacker, and
 * open any app of the device with a text of the attacker.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2
 */
function refuse(
  { issuer, report }: AuthorizationServer,
  { client, target, error }: RedirectedError,
): Response {
  const redirect = errorRedirect(target, issuer, error)
  const { kind, target: host } = describeRedirectUri(target.redirectUri)
  const redirects = kind === 'loopback' || isVetted(client)
  const { code: name, message, telemetryMessage } = error
  const status = redirects ? redirect.status : 400
  report({ type: 'refusal', name, status, message: telemetryMessage })
  if (redirects) return redirect
  const href = redirect.headers.get('location') ?? ''
  return messagePage({ status: 400, title: NO_CONNECTION, message, link: { href, host } })
}

async function requestConsent(
  server: AuthorizationServer,
  request: Request,
  authorizeRequest: AuthorizeRequest,
): Promise<Response> {
  const { limits, accounts } = server
  const { client, redirectUri, resource, scopes, prompt } = authorizeRequest
  const { selectsAccount: selectAccount, maxAgeSeconds } = prompt
  const person = selectAccount ? undefined : await mayConsent(server, request, maxAgeSeconds)
  // Another site must not complete a remembered consent by sending the browser here.
  // A browser that guesses the next page prefetches it, which is no navigation either.
  const { headers } = request
  const direct = headers.get('sec-fetch-site') === 'none' && !headers.has('sec-purpose')
  const consent = createConsentRequest(authorizeRequest, direct, limits.transactionTtlMs)
  const context = { server, request, client, consent }
  const mayReplacePage = !prompt.asksConsent && mayRememberConsent(server, client, authorizeRequest)
  if (person !== undefined && mayReplacePage && (direct || prompt.isNone)) {
    const account = accounts.of(person.subject)
    const offer = await offerTo(server, person, scopes)
    const remembered =
      'scopes' in offer &&
      (await account.hasConsent(client.id, redirectUri, resource, offer.scopes))
    if (remembered && direct) {
      return approve(context, { ...person, props: undefined }, offer.scopes)
    }
    if (prompt.isNone && (remembered || 'problem' in offer)) {
      return refuse(server, unattended(authorizeRequest, 'interaction_required'))
    }
  }
  if (prompt.isNone) {
    const code = person === undefined ? 'login_required' : 'consent_required'
    return refuse(server, unattended(authorizeRequest, code))
  }
  return showConsent(context, { person, selectAccount })
}

const NEEDED = {
  login_required: 'The person must sign in',
  consent_required: 'The person must consent',
  interaction_required: 'The person must answer a page',
} as const

/**
 * The error of a request with `prompt=none` that a page would have to precede.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthError
 */
function unattended(
  { client, redirectUri, state }: AuthorizeRequest,
  code: keyof typeof NEEDED,
): RedirectedError {
  return { client, target: { redirectUri, state }, error: new OAuthError(code, NEEDED[code]) }
}
