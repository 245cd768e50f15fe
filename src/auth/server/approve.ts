/** A consent given by a person who has signed in: the grant, its code, and the way back to the client. */
import type { Client } from '../clients/clients.ts'
import type { Person } from '../login/login.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { codeRedirect, errorRedirect } from './redirect.ts'
import { sealJson } from './sealed-json.ts'
import type { Transaction } from './transaction.ts'

/** What a code says, under its seal. */
export interface SealedCode {
  readonly account: string
  readonly secret: string
  readonly expiresAt: number
}

export async function approve(
  server: AuthorizationServer,
  transaction: Transaction,
  client: Client,
  { subject, props }: Person,
): Promise<Response> {
  const { accounts, sealer, issuer } = server
  // One answer per question, whoever gives it and however often it is sent.
  if (!(await sealer.redeem(`consent ${transaction.id}`, transaction.expiresAt))) {
    throw new OAuthError('invalid_request', 'This question was answered before')
  }
  const { redirectUri, scopes, resource, codeChallenge, dpopJkt } = transaction
  const { codeSecret, expiresAt } = await accounts.of(subject).approve({
    subject,
    client: {
      id: client.id,
      name: client.name,
      uri: client.host,
      authMethod: client.authMethod,
      ...(client.secretHash === undefined ? undefined : { secretHash: client.secretHash }),
    },
    redirectUri,
    resource,
    scopes,
    codeChallenge,
    dpopJkt,
    props,
    remember: true,
  })
  const account = await accounts.nameOf(subject)
  const code = { account, secret: codeSecret, expiresAt }
  return codeRedirect(transaction, issuer, await sealJson(sealer, 'auth-code', code, issuer))
}

export function deny({ issuer }: AuthorizationServer, transaction: Transaction): Response {
  const error = new OAuthError('access_denied', 'The request was denied')
  return errorRedirect(transaction, issuer, error)
}
