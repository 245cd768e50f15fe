/**
 * Upstream sign-in: the redirect to the provider and its callback. The `state` is sealed and single-use,
 * and names a cookie that only the browser has which began the sign-in. After it comes the approval, the account
 * page, or an action of one of its sections.
 */
import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { LoginRequest, Person, RedirectSite } from '../login/login.ts'
import { LoginError } from '../login/login-error.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import { messagePage } from '../pages/message-page.ts'
import { approveOrAskAgain } from './approve.ts'
import {
  type AccountSection,
  ENDPOINT,
  type PageServer,
  type SectionPurpose,
} from './authorization-server.ts'
import { type ConsentRequest, continueConsent } from './consent-request.ts'
import { COOKIE, clearCookie, readCookie, setCookie, withCookies } from './cookies.ts'
import { admit, type Problem, problemOf } from './offer.ts'
import { errorRedirect, seeOther } from './redirect.ts'
import { isRevokedSeal, openJson, sealJson } from './sealed-json.ts'
import { showConsent } from './show-consent.ts'
import { askToSignIn, redirectAfterSignIn, type SignInReturn } from './sign-in-page.ts'
import { signIn } from './signed-in.ts'

interface SealedState {
  readonly id: string
  readonly purpose: Purpose
  /** Digest of the cookie. */
  readonly approval: string
  readonly expiresAt: number
}

/** Redirects the browser to the upstream provider. When that is unavailable, the client or the person learns it. */
export async function signInUpstream(
  login: RedirectSite,
  server: PageServer,
  request: Request,
  purpose: Purpose,
): Promise<Response> {
  try {
    return await begin(login, server, request, purpose)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    return failed(server, purpose, error, unavailable(), 502)
  }
}

function unavailable(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Signing in is not possible at the moment')
}

/** The response to a failed sign-in: the error for the client, or the text for the person. */
async function failed(
  server: PageServer,
  purpose: Purpose,
  error: LoginError,
  refused: OAuthError,
  status: number,
): Promise<Response> {
  const { issuer, report } = server
  report({ type: 'internal-error', error })
  const own =
    purpose.kind === 'section'
      ? await sectionOf(server, purpose).fail?.(server, purpose, error)
      : undefined
  if (own !== undefined) return own
  return purpose.kind === 'consent'
    ? errorRedirect(purpose.transaction, issuer, refused)
    : messagePage({ status, title: 'You are not signed in', message: error.message })
}

/** @throws {LoginError} when the provider is unavailable */
async function begin(
  login: RedirectSite,
  server: PageServer,
  request: Request,
  purpose: Purpose,
): Promise<Response> {
  const { limits, rateLimits, env } = server
  await limitNetwork(rateLimits, 'sign-in', request)
  const secret = randomToken()
  const content: SealedState = {
    id: randomToken(),
    purpose,
    approval: await sha256Base64Url(`approval ${secret}`),
    expiresAt: Date.now() + limits.transactionTtlMs,
  }
  const state = await sealJson(server, 'sign-in-state/1', content)
  const from = purpose.kind === 'consent' ? purpose.transaction : (elsewhereOf(purpose) ?? purpose)
  const selectAccount = 'selectAccount' in from && from.selectAccount
  const maxAgeSeconds = maxAgeOf(purpose)
  const begun = await loginRequest(server, purpose, secret, state)
  const url = await login.begin({ ...begun, selectAccount, maxAgeSeconds }, env)
  const cookie = setCookie(cookieOf(content), secret, limits.transactionTtlMs)
  return withCookies(seeOther(url.href), cookie)
}

/** `GET /authorize/callback`: finishes an upstream sign-in. */
export async function handleCallback(
  login: RedirectSite,
  server: PageServer,
  request: Request,
): Promise<Response> {
  const answer = new URL(request.url).searchParams
  const { state, secret } = await checkBrowser(server, request, answer)
  if (!(await server.sealer.redeem(`login ${state.id}`, state.expiresAt))) {
    throw invalidRequest('This sign-in was finished before. Please connect again from the app.')
  }
  const response = await finish(login, server, request, answer, state, secret)
  return withCookies(response, clearCookie(cookieOf(state)))
}

async function finish(
  login: RedirectSite,
  server: PageServer,
  request: Request,
  answer: URLSearchParams,
  { purpose, expiresAt }: SealedState,
  secret: string,
): Promise<Response> {
  let person: Person
  try {
    const begun: LoginRequest = {
      ...(await loginRequest(server, purpose, secret, answer.get('state') ?? '')),
      maxAgeSeconds: maxAgeOf(purpose),
      begunAt: expiresAt - server.limits.transactionTtlMs,
    }
    person = await login.finish(answer, begun, server.env)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    if (error.reason === 'not-allowed') {
      return askForAnother(server, request, purpose, problemOf(server, error.message))
    }
    if (error.reason === 'unavailable') {
      return failed(server, purpose, error, unavailable(), 502)
    }
    const refused = new OAuthError('access_denied', 'The sign-in did not succeed')
    return failed(server, purpose, error, refused, 403)
  }
  return follow(server, request, purpose, person)
}

function maxAgeOf(purpose: Purpose): number | undefined {
  return purpose.kind === 'consent' ? purpose.transaction.maxAgeSeconds : undefined
}

async function checkBrowser(
  server: PageServer,
  request: Request,
  answer: URLSearchParams,
): Promise<{ readonly state: SealedState; readonly secret: string }> {
  const [sealed, ...others] = answer.getAll('state')
  const single = others.length > 0 ? undefined : sealed
  const state = await openJson<SealedState>(server, 'sign-in-state/1', single)
  const secret = state === undefined ? undefined : readCookie(request, cookieOf(state))
  const isSameBrowser =
    state !== undefined &&
    secret !== undefined &&
    state.approval === (await sha256Base64Url(`approval ${secret}`)) &&
    // An answer at the redirect URI of another login may be of another provider (RFC 9700 §4.4).
    callbackOf(state.purpose) === new URL(request.url).pathname &&
    !(await isRevokedSeal(server, state, server.limits.transactionTtlMs))
  if (!isSameBrowser) {
    const text =
      'This sign-in has expired or was begun in another browser. Please connect again from the app.'
    throw invalidRequest(text)
  }
  return { state, secret }
}

/** One cookie for each sign-in, so that a browser can connect two clients at the same time. */
function cookieOf({ id }: Pick<SealedState, 'id'>): string {
  return `${COOKIE.approval}-${id.slice(0, 8)}`
}

const elsewhereOf = (purpose: Purpose) =>
  purpose.kind === 'section' ? purpose.elsewhere : undefined

const callbackOf = (purpose: Purpose): string => elsewhereOf(purpose)?.callback ?? ENDPOINT.callback

/** The request of a login. Nonce and verifier derive from the secret in the browser's cookie. */
async function loginRequest(
  { issuer, admission }: PageServer,
  purpose: Purpose,
  secret: string,
  state: string,
): Promise<LoginRequest> {
  const elsewhere = elsewhereOf(purpose)
  return {
    needs: elsewhere === undefined ? admission?.needs : undefined,
    scopes: elsewhere?.scopes,
    callbackUrl: `${issuer}${callbackOf(purpose)}`,
    state,
    nonce: await sha256Base64Url(`nonce ${secret}`),
    codeVerifier: await sha256Base64Url(`verifier ${secret}`),
  }
}

/** What follows a sign-in. */
export type Purpose =
  | { readonly kind: 'consent'; readonly transaction: ConsentRequest }
  | { readonly kind: 'account'; readonly selectAccount?: boolean; readonly to?: SignInReturn }
  | SectionPurpose

/** A person who may not come in is not signed in. */
export async function follow(
  server: PageServer,
  request: Request,
  purpose: Purpose,
  person: Person,
): Promise<Response> {
  const withSignIn = async (response: Response) =>
    withCookies(response, await signIn(server, person))
  if (purpose.kind === 'consent') {
    const context = await continueConsent(server, request, purpose.transaction)
    return approveOrAskAgain(context, person, withSignIn)
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
  server: PageServer,
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
function sectionOf({ parts }: PageServer, { section }: SectionPurpose): AccountSection<PageServer> {
  const found = parts.accountSections.find(({ name }) => name === section)
  if (found !== undefined) return found
  throw invalidRequest('This page is not part of this server any more')
}
