/** Revokes personal access tokens: on the account page, and at `/revoke` for the holder of one. */
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServer, ENDPOINT } from '../server/authorization-server.ts'
import { readBrowserForm } from '../server/browser-form.ts'
import { seeOther } from '../server/redirect.ts'
import { signedIn } from '../server/signed-in.ts'
import { openPersonalToken, personalTokenId } from './sealed-token.ts'

/** `POST /account/tokens/revoke` */
export async function handleRevokeToken(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const { form } = await readBrowserForm(request, server.issuer)
  const person = await signedIn(server, request)
  if (person === undefined) return seeOther(ENDPOINT.account)
  const tokenId = form.get('token')
  if (tokenId === undefined) throw new OAuthError('invalid_request', 'The form names no token')
  await revoke(server, person.subject, tokenId)
  return seeOther(`${ENDPOINT.account}?token-revoked`)
}

/** The holder of a token may end it: no client could authenticate for it. An unknown token is ignored. */
export async function revokePresentedToken(
  server: AuthorizationServer,
  text: string,
): Promise<void> {
  const token = await openPersonalToken(server.sealer, server.issuer, text)
  if (token !== undefined) await revoke(server, token.subject, await personalTokenId(token))
}

async function revoke(
  { accounts, onRevoked }: AuthorizationServer,
  subject: string,
  tokenId: string,
): Promise<void> {
  await accounts.of(subject).revoke(tokenId)
  onRevoked(tokenId)
}
