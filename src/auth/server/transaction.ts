/**
 * One request for consent, from the page to its answer: sealed, so that what was shown is what is
 * decided upon, whatever the form brings back. It is good once.
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
  /** The browser that the page was shown in. */
  readonly browser: string
  /** The subject that the page said was signed in; undefined where it asked who it is. */
  readonly shownTo: string | undefined
  /** Whether the browser came from nowhere: only then may a consent be remembered for the next time. */
  readonly direct: boolean
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
