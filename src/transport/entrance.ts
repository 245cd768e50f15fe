/** The entrance of the endpoint: checks host, origin and token of a request, in this order, and serves it. */

import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { Authenticator } from '../ports/authenticator.ts'
import type { Services } from '../ports/services.ts'
import { corsHeaders, preflightResponse } from '../security/cors.ts'
import type { HostCheck, ServedHost } from '../security/host.ts'
import { isCausedByOtherSite, isOriginAllowed, type OriginPolicy } from '../security/origin.ts'
import { readAccept } from './accept.ts'
import { drain } from './body/drain.ts'
import { handleExchange, refuse } from './endpoint.ts'
import { type EndpointPath, MAX_PARAM_LENGTH, withQueryParams } from './endpoint-paths.ts'
import type { Endpoint, Exchange } from './exchange.ts'
import { limitRequest } from './rate-limits.ts'
import { Refusal } from './refusal.ts'
import { withHeaders } from './respond.ts'

export interface EntranceOptions {
  readonly endpoint: Endpoint
  /** The definition of all callers; undefined where it depends on the caller. */
  readonly dispatcher: Dispatcher | undefined
  /** The query parameters that are params of the definition. */
  readonly queryParams: readonly string[]
  readonly checkHost: HostCheck
  readonly origins: OriginPolicy
  readonly servicesOf: (env: unknown) => Services
  /** Undefined on a server without authorization. */
  readonly authenticator: Authenticator | undefined
}

/** The part of `ExecutionContext` that a request needs. */
export interface WaitUntil {
  waitUntil(promise: Promise<unknown>): void
}

const METHODS = 'GET, POST, DELETE, OPTIONS'

export class Entrance {
  readonly #options: EntranceOptions

  constructor(options: EntranceOptions) {
    this.#options = options
  }

  serve(
    request: Request,
    env: unknown,
    ctx: WaitUntil,
    path: EndpointPath,
    host = this.#options.checkHost(request.url),
  ): Response | Promise<Response> {
    if (!host.served) return this.#refuseHost(request, host)
    const { endpoint, dispatcher, origins, queryParams, servicesOf, authenticator } = this.#options
    const origin = request.headers.get('origin')
    if (origin !== null && !isOriginAllowed(origin, host, origins)) {
      const text = 'This origin may not use the endpoint. The server can list it in allowedOrigins'
      return this.#refuse(request, new Refusal('origin-not-allowed', text))
    }
    if (origin === null && endpoint.requiresContentType && isCausedByOtherSite(request.headers)) {
      const text = 'A page of another site may not use the endpoint with the cookies of its visitor'
      return this.#refuse(request, new Refusal('origin-not-allowed', text))
    }
    if (request.method === 'OPTIONS') {
      return preflightResponse(request, origin ?? '*', METHODS, endpoint.usesCookies)
    }
    const factoryParams = withQueryParams(path.params, queryParams, request.url)
    if (factoryParams === undefined) {
      const text = `A query parameter is longer than ${MAX_PARAM_LENGTH} characters or has control characters`
      return this.#refuse(request, new Refusal('params-malformed', text))
    }
    const exchange: Exchange = {
      endpoint,
      request,
      env,
      waitUntil: (promise) => ctx.waitUntil(promise),
      services: servicesOf(env),
      dispatcher,
      factoryParams,
      auth: undefined,
      grant: undefined,
      isStillAuthorized: undefined,
      recheck: undefined,
      challenge: (scopes) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
      accepted: readAccept(request.headers.get('accept')),
      versionHeader: request.headers.get('mcp-protocol-version'),
      extraHeaders: origin === null ? undefined : corsHeaders(origin, endpoint.usesCookies),
    }
    return authenticator === undefined
      ? handleExchange(exchange, path.handlers)
      : authorize(authenticator, exchange, path, ctx)
  }

  /** Returns the refusal of a request whose host is not served; undefined for a served host. */
  refuseHost(request: Request): Promise<Response> | undefined {
    const host = this.#options.checkHost(request.url)
    return host.served ? undefined : this.#refuseHost(request, host)
  }

  #refuseHost(request: Request, { host }: ServedHost): Promise<Response> {
    const text = `${host} is not served over plain http. Use https, or list it in allowedHosts`
    return this.#refuse(request, new Refusal('host-not-served', text))
  }

  #refuse(request: Request, refusal: Refusal): Promise<Response> {
    const { endpoint } = this.#options
    return refuse({ endpoint, request, extraHeaders: undefined }, refusal)
  }
}

async function authorize(
  authenticator: Authenticator,
  exchange: Exchange,
  { resourcePath, handlers }: EndpointPath,
  ctx: WaitUntil,
): Promise<Response> {
  const { request, env, waitUntil } = exchange
  const caller = await authenticator.authenticate(request, env, resourcePath, waitUntil, ctx)
  if (caller instanceof Response) return refuseCaller(exchange, caller)
  if (caller === undefined) return handleExchange(exchange, handlers)
  const { auth, grant } = caller
  const challenge: Exchange['challenge'] = (scopes) =>
    authenticator.challenge(request, env, resourcePath, auth, scopes)
  const isStillAuthorized = () => authenticator.isStillAuthorized(request, env, ctx)
  const recheck: Exchange['recheck'] =
    authenticator.recheck &&
    (async () => authenticator.recheck?.(request, env, resourcePath, auth.subject))
  const authorized = { ...exchange, auth, grant, challenge, isStillAuthorized, recheck }
  return handleExchange(authorized, handlers)
}

/** Counts a request whose token was refused by its network. A fault of the server is not counted. */
async function refuseCaller(exchange: Exchange, response: Response): Promise<Response> {
  try {
    if (response.status < 500) await limitRequest(exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(exchange, error)
  }
  await drain(exchange.request)
  return withHeaders(response, exchange.extraHeaders)
}
