/** A consent given by a person who has signed in: the grant, its code, and the way back to the client. */
import type { Client } from '../clients/clients.ts'
import { describeRedirectUri } from '../clients/redirect-uri.ts'
import type { Person } from '../login/login.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { codeRedirect, errorRedirect } from './redirect.ts'
import { sealJson } from './sealed-json.ts'
import type { Transaction } from './transaction.ts'

/** How long the replay of a code is recognised, and ends what it was spent on. */
const REPLAY_WINDOW_MS = 30 * 24 * 60 * 60 * 1000

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
  await answerOnce(server, transaction)
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
    rememberConsent: transaction.direct && describeRedirectUri(redirectUri).kind === 'https',
  })
  const account = await accounts.nameOf(subject)
  // The account knows how long it is good; a replay must reach it long after that.
  const code = { account, secret: codeSecret, expiresAt: expiresAt + REPLAY_WINDOW_MS }
  return codeRedirect(transaction, issuer, await sealJson(sealer, 'auth-code', code, issuer))
}

export async function deny(
  server: AuthorizationServer,
  transaction: Transaction,
): Promise<Response> {
  await answerOnce(server, transaction)
  const error = new OAuthError('access_denied', 'The request was denied')
  return errorRedirect(transaction, server.issuer, error)
}

/** One answer per question, whoever gives it and however often it is sent. */
async function answerOnce(
  { sealer }: AuthorizationServer,
  { id, expiresAt }: Transaction,
): Promise<void> {
  if (await sealer.redeem(`consent ${id}`, expiresAt)) return
  throw new OAuthError('invalid_request', 'This question was answered before')
}
