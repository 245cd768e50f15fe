/** The sign-in page of `/account`, at first and again after an error, and where a browser goes after it. */

import { loginPage } from '../pages/login-page.ts'
import type { PageStatus } from '../pages/page-response.ts'
import { ENDPOINT, type PageServer } from './authorization-server.ts'
import { createFormToken } from './browser-form.ts'
import { withCookies } from './cookies.ts'
import { seeOther } from './redirect.ts'
import { loginForm } from './show-consent.ts'

/** `connect:` is followed by what the page of a connection is named by. */
export type SignInReturn = keyof typeof RETURNS | `connect:${string}`

interface Destination {
  readonly path: string
  /** What the sign-in page says it is for. */
  readonly purpose: string
}

const RETURNS = {
  account: {
    path: ENDPOINT.account,
    purpose: 'Sign in to see your connected apps and to disconnect them.',
  },
  inspector: {
    path: '/inspect',
    purpose: 'Sign in as an owner to see the traffic of this server.',
  },
} as const

const PARAMETER = 'return'

const CONNECT = /^connect:[\w.-]{1,1024}$/

function destinationOf(to: SignInReturn): Destination {
  if (to === 'account' || to === 'inspector') return RETURNS[to]
  const path = `${ENDPOINT.connect}?at=${to.slice('connect:'.length)}`
  return { path, purpose: 'Sign in to connect an account of yours.' }
}

/** The sign-in page, from which the browser returns to the inspector. */
export const SIGN_IN_FOR_INSPECTOR = withReturn(ENDPOINT.account, 'inspector')

/** Any other value of the parameter means the account page, so no link can name another destination. */
export function readReturn({ url }: Request): SignInReturn {
  const named = new URL(url).searchParams.get(PARAMETER) ?? ''
  const isKnown = named === 'inspector' || CONNECT.test(named)
  return isKnown ? (named as SignInReturn) : 'account'
}

/** A path of the sign-in with the destination that follows it. */
function withReturn(path: string, to: SignInReturn): string {
  return to === 'account' ? path : `${path}?${PARAMETER}=${to}`
}

/** Redirects the browser to its destination. */
export function redirectAfterSignIn(to: SignInReturn = 'account'): Response {
  return seeOther(destinationOf(to).path)
}

export interface SignInProblem extends PageStatus {
  /** The error of the last attempt. */
  readonly problem?: string
  /** Whether the person was refused, and signs in with another account. */
  readonly selectAccount?: boolean
}

export async function askToSignIn(
  server: PageServer,
  request: Request,
  { problem, selectAccount = false, status, retryAfterSeconds }: SignInProblem = {},
  to: SignInReturn = readReturn(request),
): Promise<Response> {
  const login = loginForm(server, request)
  if (login instanceof Response) return login
  const { csrf, cookie } = await createFormToken(request, server.limits)
  const { purpose } = destinationOf(to)
  const action = withReturn(ENDPOINT.login, to)
  const form = { purpose, action, transaction: '', csrf, selectAccount, login, problem }
  const view = { serverName: server.serverName, ...form }
  return withCookies(loginPage(view, { status, retryAfterSeconds }), cookie)
}
