/** Records the answer to a consent request, and redirects the browser to the client. */
import type { GrantClient } from '../../ports/grant.ts'
import type { Client } from '../clients/clients.ts'
import type { Person } from '../login/login.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { readAttributes } from '../people/attributes.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { chosenScopes } from './chosen-scopes.ts'
import { mayRememberConsent } from './client-trust.ts'
import type { ConsentContext, ConsentRequest } from './consent-request.ts'
import { offerTo } from './offer.ts'
import { codeRedirect, errorRedirect } from './redirect.ts'
import { sealJson } from './sealed-json.ts'
import { showConsent } from './show-consent.ts'
import { joinProps } from './stored-props.ts'

/** How long after its expiry a code can still be recognised as replayed, which revokes its grant. */
const REPLAY_WINDOW_MS = 30 * 24 * 60 * 60 * 1000

/** The sealed content of an authorization code. */
export interface SealedCode {
  readonly account: string
  readonly secret: string
  readonly expiresAt: number
}

/**
 * Creates the grant with its authorization code.
 *
 * @param scopes those that the person can grant
 */
export async function approve(
  { server, client, consent }: Omit<ConsentContext, 'request'>,
  person: Person,
  scopes: readonly string[],
): Promise<Response> {
  const { accounts } = server
  const { subject, props } = person
  await answerOnce(server, consent)
  const { redirectUri, resource, codeChallenge, dpopJkt } = consent
  const { codeSecret, expiresAt } = await accounts.of(subject).approve({
    subject,
    client: {
      id: client.id,
      name: client.name,
      uri: client.host,
      authMethod: client.authMethod,
      ...(client.secretHash === undefined ? undefined : { secretHash: client.secretHash }),
      ...(client.kind === 'registered' && { registration: registrationOf(client) }),
    },
    redirectUri,
    resource,
    scopes,
    codeChallenge,
    dpopJkt,
    props: joinProps({ props, attributes: readAttributes(person) }),
    renewable: server.login.kind === 'api-key',
    rememberConsent: consent.direct && mayRememberConsent(server, client, consent),
  })
  const account = await accounts.nameOf(subject)
  // The account enforces the lifetime of the code. Its seal opens longer, so that a replay reaches the account.
  const code = { account, secret: codeSecret, expiresAt: expiresAt + REPLAY_WINDOW_MS }
  return codeRedirect(consent, server.issuer, await sealJson(server, 'auth-code/1', code))
}

function registrationOf(client: Client): NonNullable<GrantClient['registration']> {
  const { jwks, jwksUri, dpopBound } = client
  return { jwks: jwks && JSON.stringify(jwks), jwksUri, dpopBound: dpopBound || undefined }
}

export async function deny(
  server: AuthorizationServer,
  request: ConsentRequest,
): Promise<Response> {
  await answerOnce(server, request)
  const error = new OAuthError('access_denied', 'The request was denied')
  return errorRedirect(request, server.issuer, error)
}

/** @throws {OAuthError} `invalid_request` when the consent request was answered before */
async function answerOnce(
  { sealer }: AuthorizationServer,
  { id, expiresAt }: ConsentRequest,
): Promise<void> {
  if (await sealer.redeem(`consent ${id}`, expiresAt)) return
  throw invalidRequest(
    'This request was answered before. If the app is not connected, please connect again from the app.',
  )
}

/**
 * Approves what the page has shown and the person has not left out, as far as the person can grant it. A person who may not come in sees
 * the page again; the client receives an error only when the person denies.
 *
 * @param finish completes the response of an approval
 */
export async function approveOrAskAgain(
  context: ConsentContext,
  person: Person,
  finish: (response: Response) => Promise<Response> = async (response) => response,
): Promise<Response> {
  const { server, consent } = context
  const offer = await offerTo(server, person, chosenScopes(consent))
  return 'scopes' in offer
    ? finish(await approve(context, person, offer.scopes))
    : showConsent(context, { ...offer, status: 403, selectAccount: true })
}
