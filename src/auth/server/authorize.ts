/** `GET /authorize`: shows the consent page, or approves at once when the consent is remembered. */
import { approve } from './approve.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import {
  type AuthorizeRequest,
  RedirectedError,
  readAuthorizeRequest,
} from './authorize-request.ts'
import { mayRememberConsent } from './client-trust.ts'
import { errorRedirect } from './redirect.ts'
import { showConsent } from './show-consent.ts'
import { mayConsent } from './signed-in.ts'
import { createConsentRequest } from './transaction.ts'

export async function handleAuthorize(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  let authorizeRequest: AuthorizeRequest
  try {
    authorizeRequest = await readAuthorizeRequest(server, new URL(request.url))
  } catch (error) {
    if (!(error instanceof RedirectedError)) throw error
    return errorRedirect(error.target, server.issuer, error.error)
  }
  return requestConsent(server, request, authorizeRequest)
}

async function requestConsent(
  server: AuthorizationServer,
  request: Request,
  authorizeRequest: AuthorizeRequest,
): Promise<Response> {
  const { limits, accounts } = server
  const { client, redirectUri, resource, scopes } = authorizeRequest
  const person = await mayConsent(server, request)
  // Another site must not complete a remembered consent by sending the browser here.
  const direct = request.headers.get('sec-fetch-site') === 'none'
  const consentRequest = createConsentRequest(authorizeRequest, direct, limits.transactionTtlMs)
  if (person !== undefined && direct && mayRememberConsent(client, redirectUri)) {
    const account = accounts.of(person.subject)
    if (await account.hasConsent(client.id, redirectUri, resource, scopes)) {
      return approve(server, consentRequest, client, { ...person, props: undefined })
    }
  }
  return showConsent(server, request, client, consentRequest, { person })
}
