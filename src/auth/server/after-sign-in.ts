/** What follows an upstream sign-in: the approval, the account page, or an action of one of its sections. */
import type { Person } from '../login/login.ts'
import { invalidRequest } from '../oauth-error.ts'
import { approveOrAskAgain } from './approve.ts'
import type { AccountSection, AuthorizationServer, SectionPurpose } from './authorization-server.ts'
import { withCookies } from './cookies.ts'
import { admit, type Problem } from './offer.ts'
import { showConsent } from './show-consent.ts'
import { askToSignIn, redirectAfterSignIn, type SignInReturn } from './sign-in-page.ts'
import { signIn } from './signed-in.ts'
import { continueConsent, type Transaction } from './transaction.ts'

/** What follows a sign-in. */
export type Purpose =
  | { readonly kind: 'consent'; readonly transaction: Transaction }
  | { readonly kind: 'account'; readonly selectAccount?: boolean; readonly to?: SignInReturn }
  | SectionPurpose

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
    const step = await continueConsent(server, request, purpose.transaction)
    return approveOrAskAgain(step, person, withSignIn)
  }
  // The person who acts on the account page is signed in, and stays so if another one has signed in for it.
  if (purpose.kind === 'section') return sectionOf(server, purpose).follow(server, purpose, person)
  const access = await admit(server, person)
  return 'problem' in access
    ? askToSignIn(server, request, { ...access, status: 403, selectAccount: true })
    : withSignIn(redirectAfterSignIn(purpose.to))
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
  if (purpose.kind === 'section') return sectionOf(server, purpose).refuse(refused)
  return showConsent(await continueConsent(server, request, purpose.transaction), refused)
}

/** @throws {OAuthError} `invalid_request` when the app has lost the section since the sign-in began */
function sectionOf({ parts }: AuthorizationServer, { section }: SectionPurpose): AccountSection {
  const found = parts.accountSections.find(({ name }) => name === section)
  if (found !== undefined) return found
  throw invalidRequest('This page is not part of this server any more')
}
