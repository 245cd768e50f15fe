/**
 * A consent request, sealed into the form of its page, so that the answer applies to what the page
 * showed. It is single-use.
 */

import { randomToken } from '../../platform/random-token.ts'
import type { ValidatedRedirectUri } from '../clients/redirect-uri.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { openJson, sealJson } from './sealed-json.ts'

export interface Transaction {
  readonly id: string
  readonly clientId: string
  readonly redirectUri: ValidatedRedirectUri
  readonly state: string | undefined
  readonly scopes: readonly string[]
  readonly resource: string
  readonly codeChallenge: string
  readonly dpopJkt: string | undefined
  /** The `browser` of the form token. */
  readonly browser: string
  /** The subject that the page named as signed in; undefined when the page asked for a sign-in. */
  readonly shownTo: string | undefined
  /** Whether no other site sent the browser here. Only then may the consent be remembered. */
  readonly direct: boolean
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export function createTransaction(
  { client, redirectUri, state, scopes, resource, codeChallenge, dpopJkt }: AuthorizeRequest,
  { browser, shownTo, direct }: Pick<Transaction, 'browser' | 'shownTo' | 'direct'>,
  ttlMs: number,
): Transaction {
  return {
    id: randomToken(),
    clientId: client.id,
    redirectUri,
    state,
    scopes,
    resource,
    codeChallenge,
    dpopJkt,
    browser,
    shownTo,
    direct,
    expiresAt: Date.now() + ttlMs,
  }
}

export function sealTransaction(
  { sealer, issuer }: AuthorizationServer,
  transaction: Transaction,
): Promise<string> {
  return sealJson(sealer, 'transaction', transaction, `${issuer} consent`)
}

export async function openTransaction(
  { sealer, issuer }: AuthorizationServer,
  sealed: string | undefined,
): Promise<Transaction | undefined> {
  return sealed === undefined
    ? undefined
    : openJson<Transaction>(sealer, 'transaction', sealed, `${issuer} consent`)
}
