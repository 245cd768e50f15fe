/** Serves an endpoint: its method, its limit of requests, and the form of its errors. */
import { isTemporary } from '../../platform/object-error.ts'
import type { NetworkClass } from '../../ports/rate-limits.ts'
import type { Observe } from '../../ports/request-observer.ts'
import { isUnavailable } from '../../protocol/protocol-error.ts'
import { authenticationChallenge } from '../clients/client-authentication.ts'
import { errorResponse, preflight } from '../json-response.ts'
import { LoginError } from '../login/login-error.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { limitNetwork } from '../over-limit.ts'
import { messagePage } from '../pages/message-page.ts'
import type { AuthorizationServer, Handle, PageServer } from './authorization-server.ts'

export interface Endpoint<Server = AuthorizationServer> {
  readonly method: 'GET' | 'POST'
  /** Errors of a page are pages for a person. Errors of an API are JSON that any origin may read. */
  readonly kind: 'page' | 'api'
  readonly handle: Handle<Server>
  /** The heading of an error page. */
  readonly errorTitle: string
  /** Whether every client must authenticate: a 401 then always has a challenge. */
  readonly authenticates?: boolean
  /** The class of rate limits that counts its requests. */
  readonly limitClass?: NetworkClass
}

export const endpoint = <Server = AuthorizationServer>(
  kind: Endpoint['kind'],
  method: Endpoint['method'],
  handle: Handle<Server>,
  options: Partial<Endpoint<Server>> = {},
): Endpoint<Server> => ({ method, kind, handle, errorTitle: 'This did not work', ...options })

export const page = <Server = AuthorizationServer>(
  method: Endpoint['method'],
  handle: Handle<Server>,
  errorTitle?: string,
): Endpoint<Server> =>
  endpoint('page', method, handle, { limitClass: 'authorize', ...(errorTitle && { errorTitle }) })

export function observedServer(
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
export async function serve<Server extends PageServer>(
  endpoint: Endpoint<Server>,
  request: Request,
  server: Server | OAuthError,
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

function errorFor(
  { kind, errorTitle: title }: Pick<Endpoint, 'kind' | 'errorTitle'>,
  error: OAuthError,
): Response {
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
  report: PageServer['report'],
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
