/**
 * A sign-in elsewhere, there and back. The state that travels is sealed and good once, and names a
 * cookie that only the browser has which gave its consent here.
 */

import { sha256Base64Url } from '../../platform/digest.ts'
import { randomToken } from '../../platform/random-token.ts'
import type { LoginRequest, Person, RedirectLogin } from '../login/login.ts'
import { LoginError } from '../login/login.ts'
import { OAuthError } from '../oauth-error.ts'
import { messagePage } from '../pages/message-page.ts'
import { approve } from './approve.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { COOKIE, clearCookie, readCookie, setCookie, withCookies } from './cookies.ts'
import { errorRedirect } from './redirect.ts'
import { openJson, sealJson } from './sealed-json.ts'
import { signInCookie } from './signed-in.ts'
import type { Transaction } from './transaction.ts'

/** What a sign-in is for. */
export type Purpose =
  | { readonly kind: 'consent'; readonly transaction: Transaction }
  | { readonly kind: 'account' }

interface SealedState {
  readonly id: string
  readonly purpose: Purpose
  /** The digest of the browser's cookie. */
  readonly approval: string
  readonly expiresAt: number
}

/** Sends the browser to sign in elsewhere. */
export async function beginCallback(
  server: AuthorizationServer,
  purpose: Purpose,
): Promise<Response> {
  const { sealer, issuer, limits, env } = server
  const login = redirectLogin(server)
  const secret = randomToken()
  const sealed: SealedState = {
    id: randomToken(),
    purpose,
    approval: await sha256Base64Url(`approval ${secret}`),
    expiresAt: Date.now() + limits.transactionTtlMs,
  }
  const state = await sealJson(sealer, 'transaction', sealed, `${issuer} login`)
  const url = await login.begin(await loginRequest(server, secret, state), env)
  const response = new Response(null, {
    status: 303,
    headers: {
      location: url.href,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
  return withCookies(response, setCookie(cookieOf(sealed), secret, limits.transactionTtlMs))
}

/** `GET /authorize/callback`: the browser is back. */
export async function handleCallback(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const { sealer, issuer, env } = server
  const answer = new URL(request.url).searchParams
  const { state, secret } = await checkBrowser(server, request, answer)
  if (!(await sealer.redeem(`login ${state.id}`, state.expiresAt))) {
    throw new OAuthError('invalid_request', 'This sign-in was finished before')
  }
  const { purpose } = state
  let person: Person
  try {
    const sent = answer.get('state') ?? ''
    person = await redirectLogin(server).finish(
      answer,
      await loginRequest(server, secret, sent),
      env,
    )
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    server.report({ type: 'internal-error', error })
    const refused = new OAuthError('access_denied', 'The sign-in did not succeed')
    const response =
      purpose.kind === 'consent'
        ? errorRedirect(purpose.transaction, issuer, refused)
        : messagePage({ status: 403, title: 'Not signed in', message: error.message })
    return withCookies(response, clearCookie(cookieOf(state)))
  }
  const response =
    purpose.kind === 'consent'
      ? await approveFor(server, purpose.transaction, person)
      : new Response(null, { status: 303, headers: { location: ENDPOINT.account } })
  return withCookies(response, clearCookie(cookieOf(state)), await signInCookie(server, person))
}

async function checkBrowser(
  { sealer, issuer }: AuthorizationServer,
  request: Request,
  answer: URLSearchParams,
): Promise<{ readonly state: SealedState; readonly secret: string }> {
  const [sent, ...others] = answer.getAll('state')
  const state =
    sent === undefined || others.length > 0
      ? undefined
      : await openJson<SealedState>(sealer, 'transaction', sent, `${issuer} login`)
  const secret = state === undefined ? undefined : readCookie(request, cookieOf(state))
  const fits =
    state !== undefined &&
    secret !== undefined &&
    state.approval === (await sha256Base64Url(`approval ${secret}`))
  if (!fits) {
    const text = 'This sign-in was not begun in this browser, or too long ago: connect anew'
    throw new OAuthError('invalid_request', text)
  }
  return { state, secret }
}

/** One for each, so that somebody may connect two clients at the same time. */
function cookieOf({ id }: Pick<SealedState, 'id'>): string {
  return `${COOKIE.approval}-${id.slice(0, 8)}`
}

async function approveFor(
  server: AuthorizationServer,
  transaction: Transaction,
  person: Person,
): Promise<Response> {
  const client = await server.clients.find(transaction.clientId)
  if (client === undefined) {
    throw new OAuthError('invalid_request', 'This client is not known here any more: connect anew')
  }
  return approve(server, transaction, client, person)
}

/** What the sign-in is told; the nonce and the verifier come out of the browser's own secret. */
async function loginRequest(
  { issuer }: AuthorizationServer,
  secret: string,
  state: string,
): Promise<LoginRequest> {
  return {
    callbackUrl: `${issuer}${ENDPOINT.callback}`,
    state,
    nonce: await sha256Base64Url(`nonce ${secret}`),
    codeVerifier: await sha256Base64Url(`verifier ${secret}`),
  }
}

function redirectLogin({ login }: AuthorizationServer): RedirectLogin {
  if (login.kind !== 'redirect') {
    throw new OAuthError('invalid_request', 'Nobody signs in elsewhere here', { status: 404 })
  }
  return login
}
