/**
 * A consent request, sealed into the form of its page, so that the answer applies to what the page
 * showed. It is single-use.
 */

import { randomToken } from '../../platform/random-token.ts'
import type { Client } from '../clients/clients.ts'
import { matchRedirectUri, type ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import { invalidRequest } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { readBrowserForm } from './browser-form.ts'
import { checkMayConnect } from './client-trust.ts'
import { isRevokedSeal, openJson, type SealingServer, sealJson } from './sealed-json.ts'

/** What an app requests, and for how long the person may answer. */
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
}

export interface Transaction extends ConsentRequest {
  /** The `browser` of the form token. */
  readonly browser: string
  /** The subject that the page named as signed in; undefined when the page asked for a sign-in. */
  readonly shownTo: string | undefined
  /** The scopes that the page showed; absent where the page showed those that were requested. */
  readonly offered?: readonly string[]
  /** The shown scopes that the person has left out. */
  readonly leftOut?: readonly string[]
  /** Whether the person was refused, so that the provider should offer another account. */
  readonly selectAccount?: boolean
}

/** A consent request at its page: what the page and its answer need. */
export interface ConsentStep<Consent extends ConsentRequest = ConsentRequest> {
  readonly server: AuthorizationServer
  readonly request: Request
  readonly client: Client
  readonly consent: Consent
}

/** @throws {OAuthError} see {@link clientOf} */
export async function continueConsent(
  server: AuthorizationServer,
  request: Request,
  consent: Transaction,
): Promise<ConsentStep<Transaction>> {
  return { server, request, client: await clientOf(server, consent), consent }
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

export function sealTransaction(server: SealingServer, transaction: Transaction): Promise<string> {
  return sealJson(server, 'consent-form/1', transaction)
}

/**
 * Reads a form that may carry a transaction. The transaction is undefined when the form has none, when
 * it has expired or was revoked, and when its page was shown in another browser.
 *
 * @throws {OAuthError} `access_denied` (403) when the form was not sent by a page of this server
 */
export async function readTransactionForm(
  server: AuthorizationServer,
  request: Request,
): Promise<{
  readonly form: ReadonlyMap<string, string>
  readonly transaction: Transaction | undefined
}> {
  const { issuer, limits } = server
  const { form, browser } = await readBrowserForm(request, issuer)
  const sealed = form.get('transaction')
  const transaction = await openJson<Transaction>(server, 'consent-form/1', sealed)
  const isValid =
    transaction?.browser === browser &&
    !(await isRevokedSeal(server, transaction, limits.transactionTtlMs))
  return { form, transaction: isValid ? transaction : undefined }
}

/**
 * @throws {OAuthError} `invalid_request` when the client or its redirect URI is not registered any more;
 *   `unauthorized_client` when the client cannot connect to the resource any more
 */
export async function clientOf(
  server: AuthorizationServer,
  transaction: Transaction,
): Promise<Client> {
  const { clientId, redirectUri } = transaction
  const client = await server.clients.find(clientId)
  // The metadata document or the configuration may have changed since the page was shown.
  if (client && matchRedirectUri(client.redirectUris, redirectUri) !== undefined) {
    checkMayConnect(server, client, transaction)
    return client
  }
  throw invalidRequest(
    'This app is not registered here any more. Please connect again from the app.',
  )
}
