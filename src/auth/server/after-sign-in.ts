/** What follows an upstream sign-in: the approval, the account page, or a personal access token. */
import type { Person } from '../login/login.ts'
import { messagePage } from '../pages/message-page.ts'
import { issuePersonalToken } from '../personal-tokens/issue-token.ts'
import type { WantedToken } from '../personal-tokens/token-form.ts'
import { approveOrAskAgain } from './approve-or-ask-again.ts'
import { askToSignIn } from './ask-to-sign-in.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { withCookies } from './cookies.ts'
import { admit, type Problem } from './offer.ts'
import { seeOther } from './redirect.ts'
import type { RefusedAttempt } from './refuse-sign-in.ts'
import { showConsent } from './show-consent.ts'
import { pathOfReturn, type SignInReturn } from './sign-in-return.ts'
import { signIn } from './signed-in.ts'
import { clientOf, type Transaction } from './transaction.ts'

/** What follows a sign-in. */
export type Purpose =
  | { readonly kind: 'consent'; readonly transaction: Transaction }
  | { readonly kind: 'account'; readonly selectAccount?: boolean; readonly to?: SignInReturn }
  | { readonly kind: 'personal-token'; readonly subject: string; readonly wanted: WantedToken }

/** A person who may not come in is not signed in. */
export async function follow(
  server: AuthorizationServer,
  request: Request,
  purpose: Purpose,
  person: Person,
): Promise<Response> {
  const withSignIn = async (response: Response) =>
    withCookies(response, await signIn(server, person))
  if (purpose.kind === 'consent') {
    const { transaction } = purpose
    const client = await clientOf(server, transaction)
    return approveOrAskAgain(server, request, transaction, client, person, withSignIn)
  }
  if (purpose.kind === 'personal-token') {
    // The person who creates a token is signed in, and stays so if another one has signed in for it.
    const issued = await issuePersonalToken(server, purpose.wanted, purpose.subject, person)
    return issued instanceof Response ? issued : noToken(issued)
  }
  const access = await admit(server, person)
  return 'problem' in access
    ? askToSignIn(server, request, { ...access, status: 403, selectAccount: true })
    : withSignIn(seeOther(pathOfReturn(purpose.to)))
}

/** Shows the page that led to the sign-in again, to sign in with another account. */
export async function askForAnother(
  server: AuthorizationServer,
  request: Request,
  purpose: Purpose,
  problem: Problem,
): Promise<Response> {
  const refused = { ...problem, status: 403, selectAccount: true }
  if (purpose.kind === 'account') return askToSignIn(server, request, refused)
  if (purpose.kind === 'personal-token') return noToken(refused)
  const { transaction } = purpose
  const client = await clientOf(server, transaction)
  return showConsent(server, request, client, transaction, { ...refused, person: undefined })
}

function noToken({ status, problem: message }: RefusedAttempt): Response {
  return messagePage({ status, title: 'No token was created', message })
}
