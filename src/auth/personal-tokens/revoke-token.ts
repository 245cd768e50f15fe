/** Revokes personal access tokens: on the account page, and at `/revoke` for the holder of one. */
import { readAccountForm } from '../server/account-form.ts'
import { type AuthorizationServer, ENDPOINT, type Handle } from '../server/authorization-server.ts'
import { seeOther } from '../server/redirect.ts'
import { openPersonalToken, personalTokenId } from './personal-token.ts'

/** `POST /account/tokens/revoke` */
export const handleRevokeToken: Handle = async (server, request) => {
  const read = await readAccountForm(server, request, 'token')
  if (read instanceof Response) return read
  await revoke(server, read.person.subject, read.id)
  return seeOther(`${ENDPOINT.account}?token-revoked`)
}

/** The holder of a token may end it: no client could authenticate for it. An unknown token is ignored. */
export async function revokePresentedToken(
  server: AuthorizationServer,
  text: string,
): Promise<void> {
  const token = await openPersonalToken(server, text)
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
