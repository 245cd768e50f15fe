/** Shows the sign-in page of `/account`: at first, and again after an error. */
import { loginPage } from '../pages/login-page.ts'
import type { PageStatus } from '../pages/page-response.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { createFormToken } from './browser-form.ts'
import { loginForm } from './consent-view.ts'
import { withCookies } from './cookies.ts'
import { purposeOf, readReturn, withReturn } from './sign-in-return.ts'

export interface SignInProblem extends PageStatus {
  /** The error of the last attempt. */
  readonly problem?: string
  /** Whether the person was refused, and signs in with another account. */
  readonly selectAccount?: boolean
}

export async function askToSignIn(
  server: AuthorizationServer,
  request: Request,
  { problem, selectAccount = false, status, retryAfterSeconds }: SignInProblem = {},
): Promise<Response> {
  const { serverName, limits } = server
  const login = loginForm(server, request)
  if (login instanceof Response) return login
  const { csrf, cookie } = await createFormToken(request, limits)
  const to = readReturn(request)
  const form = {
    purpose: purposeOf(to),
    action: withReturn(ENDPOINT.login, to),
    transaction: '',
    csrf,
    selectAccount,
  }
  const view = { serverName, ...form, login, problem }
  return withCookies(loginPage(view, { status, retryAfterSeconds }), cookie)
}
