/**
 * `POST /account/tokens`: creates a personal access token. Each needs a sign-in of its own, so neither an
 * open browser nor a copied cookie is enough.
 */
import { showAccount, signInUpstream } from '../server/account-page.ts'
import { ENDPOINT, type Handle, type SectionPurpose } from '../server/authorization-server.ts'
import { readBrowserForm } from '../server/browser-form.ts'
import { tryFormSignIn } from '../server/form-sign-in.ts'
import { seeOther } from '../server/redirect.ts'
import type { RefusedAttempt } from '../server/refuse-sign-in.ts'
import { signedIn } from '../server/signed-in.ts'
import { issuePersonalToken } from './issue-token.ts'
import { readDraft, readWantedToken } from './token-form.ts'
import { TOKENS } from './tokens-section.ts'

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
  if (server.login.kind === 'redirect') {
    const purpose: SectionPurpose = { kind: 'section', section: TOKENS, subject, wanted }
    return signInUpstream(server, request, purpose)
  }
  const attempt = await tryFormSignIn(server, request, form)
  if ('problem' in attempt) return showAgain(attempt)
  const issued = await issuePersonalToken(server, wanted, subject, attempt.person)
  return issued instanceof Response ? issued : showAgain(issued)
}
