/** The endpoints of the authorization server: the method of each, and the form of its errors. */

import { isTemporary } from '../../platform/object-error.ts'
import type { NetworkClass } from '../../ports/rate-limits.ts'
import type { Observe } from '../../ports/request-observer.ts'
import { isUnavailable } from '../../protocol/protocol-error.ts'
import type { AuthRoute } from '../auth-gate.ts'
import { authenticationChallenge } from '../clients/client-authentication.ts'
import { errorResponse, preflight } from '../json-response.ts'
import { LOGIN_PARTS } from '../login/login.ts'
import { LoginError } from '../login/login-error.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import { messagePage, NO_CONNECTION } from '../pages/message-page.ts'
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
import { handleToken } from './token.ts'

interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Errors of a page are pages for a person. Errors of an API are JSON that any origin may read. */
  readonly kind: 'page' | 'api'
  readonly handle: Handle
  /** The heading of an error page. */
  readonly errorTitle: string
  /** Whether every client must authenticate: a 401 then always has a challenge. */
  readonly authenticates?: boolean
  /** The class of rate limits that counts its requests. */
  readonly limitClass?: NetworkClass
}

const endpoint = (
  kind: Endpoint['kind'],
  method: Endpoint['method'],
  handle: Handle,
  options: Partial<Endpoint> = {},
): Endpoint => ({ method, kind, handle, errorTitle: 'This did not work', ...options })

const page = (method: Endpoint['method'], handle: Handle, errorTitle?: string): Endpoint =>
  endpoint('page', method, handle, { limitClass: 'authorize', ...(errorTitle && { errorTitle }) })

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

function observedServer(
  server: AuthorizationServer,
  observe: Observe | undefined,
): AuthorizationServer {
  if (observe === undefined) return server
  return {
    ...server,
    observe,
    report(event) {
      observe(event)
      server.report(event)
    },
  }
}

/** Never rejects. */
async function serve(
  endpoint: Endpoint,
  request: Request,
  server: AuthorizationServer | OAuthError,
): Promise<Response> {
  const { method, kind, handle, authenticates = false, limitClass } = endpoint
  if (kind === 'api' && request.method === 'OPTIONS') return preflight(`${method}, OPTIONS`)
  if (server instanceof OAuthError) return errorFor(endpoint, server)
  // The platform removes the body of a response to HEAD.
  const requested = request.method === 'HEAD' ? 'GET' : request.method
  try {
    if (requested !== method) {
      throw invalidRequest(`This address requires ${method}`, { status: 405 })
    }
    if (limitClass !== undefined) await limitNetwork(server.rateLimits, limitClass, request)
    return await handle(server, request)
  } catch (error) {
    const refused = asOAuthError(error, kind, server.report)
    const response = errorFor(endpoint, refused)
    if (refused.status === 405) {
      response.headers.set('allow', kind === 'api' ? `${method}, OPTIONS` : method)
    }
    const challenge =
      (authenticates || request.headers.has('authorization')) &&
      kind === 'api' &&
      authenticationChallenge(refused, server.issuer)
    if (challenge) response.headers.set('www-authenticate', challenge)
    return response
  }
}

function errorFor({ kind, errorTitle: title }: Endpoint, error: OAuthError): Response {
  if (kind === 'api') return errorResponse(error)
  const { message, retryAfterSeconds } = error
  return messagePage({ status: statusFor(kind, error), title, message, retryAfterSeconds })
}

/** A browser cannot authenticate a client, so a 401 has no use on a page. */
function statusFor(kind: Endpoint['kind'], { status }: OAuthError): number {
  return kind === 'page' && status === 401 ? 400 : status
}

/** The details of any other error go to telemetry alone. */
function asOAuthError(
  error: unknown,
  kind: Endpoint['kind'],
  report: AuthorizationServer['report'],
): OAuthError {
  if (error instanceof OAuthError) {
    const { code: name, telemetryMessage: message, limitClass } = error
    report({ type: 'refusal', name, status: statusFor(kind, error), limitClass, message })
    return error
  }
  report({ type: 'internal-error', error })
  const isUnadmitted = error instanceof LoginError && error.reason === 'unavailable'
  // After `server_error`, clients that refresh ask the person to sign in again. After the other error, they refresh later.
  if (!isUnadmitted && !isTemporary(error) && !isUnavailable(error)) {
    return new OAuthError('server_error', 'Something went wrong here', { cause: error })
  }
  const text = isUnadmitted ? error.message : 'Authorization is not available at the moment'
  return new OAuthError('temporarily_unavailable', text, { cause: error })
}
