/**
 * A consent request, sealed into the form of its page, so that the answer applies to what the page
 * showed. It is single-use.
 */

import { randomToken } from '../../platform/random-token.ts'
import type { Client } from '../clients/clients.ts'
import { matchRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { invalidRequest } from '../oauth-error.ts'
import { type AuthorizationServer, issuesTokens, type PageServer } from './authorization-server.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { readBrowserForm } from './browser-form.ts'
import { checkMayConnect } from './client-trust.ts'
import { isRevokedSeal, openJson, type SealingServer, sealJson } from './sealed-json.ts'

/** What an app requests, for how long the person may answer, and what the last page has shown and the person chosen. */
export interface ConsentRequest
  extends Pick<AuthorizeRequest, 'scopes' | 'resource' | 'codeChallenge' | 'dpopJkt'> {
  readonly id: string
  readonly clientId: string
  readonly redirectUri: ValidatedRedirectUri
  readonly state: string | undefined
  /** Whether no other site sent the browser here. Only then may the consent be remembered. */
  readonly direct: boolean
  /** How long ago the person may have signed in at a provider; absent for any time. */
  readonly maxAgeSeconds?: number | undefined
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The `browser` of the form token, where a page has shown the request. */
  readonly browser?: string
  /** The subject that the page named as signed in; undefined when the page asked for a sign-in. */
  readonly shownTo?: string | undefined
  /** The scopes that the page showed; absent where the page showed those that were requested. */
  readonly offered?: readonly string[]
  /** The shown scopes that the person has left out. */
  readonly leftOut?: readonly string[]
  /** What `ConsentChoices` has shown besides. */
  readonly choices?: unknown
  /** Whether the person was refused, so that the provider should offer another account. */
  readonly selectAccount?: boolean
}

/** A consent request with what its page and its answer need. */
export interface ConsentContext {
  readonly server: AuthorizationServer
  readonly request: Request
  readonly client: Client
  readonly consent: ConsentRequest
}

/**
 * @throws {OAuthError} `invalid_request` when the client or its redirect URI is not registered any more;
 *   `unauthorized_client` when the client cannot connect to the resource any more
 */
export async function continueConsent(
  server: PageServer,
  request: Request,
  consent: ConsentRequest,
): Promise<ConsentContext> {
  const client = await server.clients.find(consent.clientId)
  // The metadata document or the configuration may have changed since the page was shown.
  const isKnown = client && matchRedirectUri(client.redirectUris, consent.redirectUri) !== undefined
  if (isKnown && issuesTokens(server)) {
    checkMayConnect(server, client, consent)
    return { server, request, client, consent }
  }
  throw invalidRequest(
    'This app is not registered here any more. Please connect again from the app.',
  )
}

export function createConsentRequest(
  {
    client,
    redirectUri,
    state,
    scopes,
    resource,
    codeChallenge,
    dpopJkt,
    prompt,
  }: AuthorizeRequest,
  direct: boolean,
  ttlMs: number,
): ConsentRequest {
  return {
    id: randomToken(),
    clientId: client.id,
    redirectUri,
    state,
    scopes,
    resource,
    codeChallenge,
    dpopJkt,
    direct,
    maxAgeSeconds: prompt.maxAgeSeconds,
    expiresAt: Date.now() + ttlMs,
  }
}

export function sealConsent(server: SealingServer, consent: ConsentRequest): Promise<string> {
  return sealJson(server, 'consent-form/1', consent)
}

/**
 * Reads a form that may carry a consent request. The request is undefined when the form has none, when
 * it has expired or was revoked, and when its page was shown in another browser.
 *
 * @throws {OAuthError} `access_denied` (403) when the form was not sent by a page of this server
 */
export async function readConsentForm(
  server: PageServer,
  request: Request,
): Promise<{
  readonly form: ReadonlyMap<string, string>
  readonly consent: ConsentRequest | undefined
}> {
  const { issuer, limits } = server
  const { form, browser } = await readBrowserForm(request, issuer)
  const sealed = form.get('transaction')
  const consent = await openJson<ConsentRequest>(server, 'consent-form/1', sealed)
  const isValid =
    consent?.browser === browser && !(await isRevokedSeal(server, consent, limits.transactionTtlMs))
  return { form, consent: isValid ? consent : undefined }
}
