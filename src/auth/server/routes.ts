/** The authorization server's endpoints: which methods each has, and what becomes of what they throw. */
import { authenticationChallenge } from '../clients/client-authentication.ts'
import { OAuthError } from '../oauth-error.ts'
import { handleAccount, handleDisconnect, handleLogin, handleLogout } from './account-page.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { handleAuthorize } from './authorize.ts'
import { handleCallback } from './callback.ts'
import { handleDecision } from './decision.ts'
import { handleIntrospect } from './introspect.ts'
import { errorResponse, preflight } from './json-response.ts'
import { jwksResponse, METADATA_PATHS, metadataResponse } from './metadata.ts'
import { handleRegister } from './register.ts'
import { handleRevoke } from './revoke.ts'
import { handleToken } from './token.ts'

type Handler = (server: AuthorizationServer, request: Request) => Response | Promise<Response>

interface Route {
  readonly method: 'GET' | 'POST'
  /** A page is for a person, and is told its faults in words; an API for a program, from any origin. */
  readonly kind: 'page' | 'api'
  readonly handle: Handler
}

const page = (method: Route['method'], handle: Handler): Route => ({ method, kind: 'page', handle })
const api = (method: Route['method'], handle: Handler): Route => ({ method, kind: 'api', handle })

export const ROUTES: ReadonlyMap<string, Route> = new Map([
  ...METADATA_PATHS.map((path) => [path, api('GET', metadataResponse)] as const),
  [ENDPOINT.jwks, api('GET', jwksResponse)],
  [ENDPOINT.register, api('POST', handleRegister)],
  [ENDPOINT.token, api('POST', handleToken)],
  [ENDPOINT.revoke, api('POST', handleRevoke)],
  [ENDPOINT.introspect, api('POST', handleIntrospect)],
  [ENDPOINT.authorize, page('GET', handleAuthorize)],
  [ENDPOINT.consent, page('POST', handleDecision)],
  [ENDPOINT.callback, page('GET', handleCallback)],
  [ENDPOINT.account, page('GET', handleAccount)],
  [ENDPOINT.accountRevoke, page('POST', handleDisconnect)],
  [ENDPOINT.login, page('POST', handleLogin)],
  [ENDPOINT.logout, page('POST', handleLogout)],
])

/** Never throws. */
export async function serveRoute(
  server: AuthorizationServer,
  request: Request,
  { method, kind, handle }: Route,
): Promise<Response> {
  if (kind === 'api' && request.method === 'OPTIONS') return preflight(`${method}, OPTIONS`)
  // A HEAD is a GET whose body nobody sends; the platform sees to that.
  const asked = request.method === 'HEAD' ? 'GET' : request.method
  try {
    if (asked !== method) {
      throw new OAuthError('invalid_request', `This address takes ${method}`, { status: 405 })
    }
    return await handle(server, request)
  } catch (error) {
    return kind === 'api'
      ? apiError(server, request, method, error)
      : pageError(server, method, error)
  }
}

function apiError(
  { issuer, report }: AuthorizationServer,
  request: Request,
  method: string,
  error: unknown,
): Response {
  const refused = asOAuthError(error, report)
  const challenge = authenticationChallenge(refused, request.headers, issuer)
  return errorResponse(refused, {
    ...(refused.status === 405 ? { allow: `${method}, OPTIONS` } : undefined),
    ...(challenge === undefined ? undefined : { 'www-authenticate': challenge }),
  })
}

function pageError(
  { pages, report }: AuthorizationServer,
  method: string,
  error: unknown,
): Response {
  const { status, message } = asOAuthError(error, report)
  const response = pages.message({ status, title: 'This did not work', message })
  if (status === 405) response.headers.set('allow', method)
  return response
}

/** What is no refusal of ours is nobody's business outside. */
function asOAuthError(error: unknown, report: AuthorizationServer['report']): OAuthError {
  if (error instanceof OAuthError) {
    const { code: name, status, message } = error
    report({ type: 'refusal', name, status, message })
    return error
  }
  report({ type: 'internal-error', error })
  return new OAuthError('server_error', 'Something went wrong here', { cause: error })
}
