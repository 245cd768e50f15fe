/** The endpoints of the authorization server, by path. */

import type { AuthRoute } from '../auth-gate.ts'
import { LOGIN_PARTS } from '../login/login.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { NO_CONNECTION } from '../pages/message-page.ts'
import {
  handleAccount,
  handleDisconnect,
  handleEndSubscriptions,
  handleLogin,
  handleLogout,
} from './account-page.ts'
import { type AuthorizationServer, ENDPOINT, type Handle } from './authorization-server.ts'
import { handleAuthorize } from './authorize.ts'
import { handleDecision } from './decision.ts'
import { handleIntrospect } from './introspect.ts'
import { jwksResponse, METADATA_PATHS, metadataResponse } from './metadata.ts'
import { handleRegister } from './register.ts'
import { handleReplaceKey } from './replace-key.ts'
import { handleRevoke } from './revoke.ts'
import { type Endpoint, endpoint, observedServer, page, serve } from './serve-endpoint.ts'
import { handleToken } from './token.ts'

const ENDPOINTS: readonly (readonly [path: string, Endpoint])[] = [
  ...METADATA_PATHS.map((path) => [path, endpoint('api', 'GET', metadataResponse)] as const),
  [ENDPOINT.jwks, endpoint('api', 'GET', jwksResponse)],
  // Counted in the class `register` too, once its body names the app.
  [ENDPOINT.register, endpoint('api', 'POST', handleRegister, { limitClass: 'network' })],
  [ENDPOINT.token, endpoint('api', 'POST', handleToken, { limitClass: 'token' })],
  [ENDPOINT.revoke, endpoint('api', 'POST', handleRevoke, { limitClass: 'token' })],
  [
    ENDPOINT.introspect,
    endpoint('api', 'POST', handleIntrospect, { limitClass: 'token', authenticates: true }),
  ],
  [ENDPOINT.authorize, page('GET', handleAuthorize, NO_CONNECTION)],
  [ENDPOINT.consent, page('POST', handleDecision, NO_CONNECTION)],
  [ENDPOINT.callback, page('GET', finishSignIn)],
  [ENDPOINT.account, page('GET', handleAccount)],
  [ENDPOINT.accountRevoke, page('POST', handleDisconnect)],
  [ENDPOINT.accountSubscriptions, page('POST', handleEndSubscriptions)],
  [ENDPOINT.accountKey, page('POST', handleReplaceKey)],
  [ENDPOINT.login, page('POST', handleLogin)],
  [ENDPOINT.logout, page('POST', handleLogout)],
]

/** `GET /authorize/callback`, where a sign-in at another site returns. */
function finishSignIn(server: AuthorizationServer, request: Request): Promise<Response> {
  const { login } = server
  if (login.kind === 'redirect') return login[LOGIN_PARTS].finish(login, server, request)
  throw invalidRequest('This server has no upstream sign-in', { status: 404 })
}

/**
 * The routes of the auth gate, by path.
 *
 * @param further the handlers of further pages and forms, by path
 */
export function createRoutes<Parts>(
  serverOf: (parts: Parts) => AuthorizationServer,
  { forms, pages }: Readonly<Record<'forms' | 'pages', ReadonlyMap<string, Handle>>>,
): ReadonlyMap<string, AuthRoute<Parts>> {
  const formOf = (handle: Handle) => page('POST', handle)
  const served = (find: (request: Request) => Endpoint): AuthRoute<Parts> => {
    return (request, parts, observe) =>
      parts instanceof OAuthError
        ? serve(find(request), request, parts)
        : serve(find(request), request, observedServer(serverOf(parts), observe))
  }
  return new Map([
    ...ENDPOINTS.map(([path, endpoint]) => [path, served(() => endpoint)] as const),
    ...[...forms].map(([path, handle]) => [path, served(() => formOf(handle))] as const),
    ...[...pages].map(([path, handle]) => {
      const form = forms.get(path)
      const isForm = ({ method }: Request) => form !== undefined && method === 'POST'
      return [
        path,
        served((request) => (form && isForm(request) ? formOf(form) : page('GET', handle))),
      ] as const
    }),
  ])
}
