/** Creates and revokes personal access tokens: on the account page, and at `/revoke` for the holder of one. */
import { LOGIN_PARTS } from '../login/login.ts'
import { readAccountForm, showAccount } from '../server/account-page.ts'
import {
  type AuthorizationServer,
  ENDPOINT,
  type Handle,
  type SectionPurpose,
} from '../server/authorization-server.ts'
import { readBrowserForm } from '../server/browser-form.ts'
import { tryFormSignIn } from '../server/form-sign-in.ts'
import { seeOther } from '../server/redirect.ts'
import type { RefusedAttempt } from '../server/refuse-sign-in.ts'
import { revokeGrant } from '../server/revoke.ts'
import { signedIn } from '../server/signed-in.ts'
import { issuePersonalToken } from './issue-token.ts'
import { openPersonalToken, personalTokenId } from './personal-token.ts'
import { readDraft, readWantedToken } from './token-form.ts'
import { TOKENS } from './tokens-section.ts'

/**
 * `POST /account/tokens`: each token needs a sign-in of its own, so neither an open browser nor a copied cookie is
 * enough.
 */
export const handleCreateToken: Handle = async (server, request) => {
  const { form } = await readBrowserForm(request, server.issuer)
  const person = await signedIn(server, request)
  if (person === undefined) return seeOther(ENDPOINT.account)
  const showAgain = (refused: RefusedAttempt) =>
    showAccount(server, request, person, {
      section: { ...refused, name: TOKENS, draft: readDraft(server, form) },
    })
  const wanted = readWantedToken(server, form)
  if ('problem' in wanted) return showAgain({ ...wanted, status: 400 })
  const { subject } = person
  const { login } = server
  if (login.kind === 'redirect') {
    const purpose: SectionPurpose = { kind: 'section', section: TOKENS, subject, wanted }
    return login[LOGIN_PARTS].signIn(login, server, request, purpose)
  }
  const attempt = await tryFormSignIn(server, request, form)
  if ('problem' in attempt) return showAgain(attempt)
  const issued = await issuePersonalToken(server, wanted, subject, attempt.person)
  return issued instanceof Response ? issued : showAgain(issued)
}

/** `POST /account/tokens/revoke` */
export const handleRevokeToken: Handle = async (server, request) => {
  const read = await readAccountForm(server, request, 'token')
  if (read instanceof Response) return read
  const { subject } = read.person
  await revokeGrant(server, server.accounts.of(subject), subject, read.id)
  return seeOther(`${ENDPOINT.account}?token-revoked`)
}

/** The holder of a token may end it: no client could authenticate for it. An unknown token is ignored. */
export async function revokePresentedToken(
  server: AuthorizationServer,
  text: string,
): Promise<void> {
  const token = await openPersonalToken(server, text)
  if (token === undefined) return
  const { subject } = token
  await revokeGrant(server, server.accounts.of(subject), subject, await personalTokenId(token))
}
