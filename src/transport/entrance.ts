/** The entrance of the endpoint: checks host, origin and token of a request, in this order, and serves it. */

import type { Dispatchers } from '../dispatch/dispatcher.ts'
import { ObservedServices } from '../dispatch/observed-services.ts'
import type { Recording } from '../dispatch/recording.ts'
import type { Authenticator } from '../ports/authenticator.ts'
import type { Services } from '../ports/services.ts'
import type { OAuthErrorCode } from '../protocol/oauth-error-code.ts'
import { corsHeaders, preflightResponse } from '../security/cors.ts'
import type { HostCheck, ServedHost } from '../security/host.ts'
import { isCausedByOtherSite, isOriginAllowed, type OriginPolicy } from '../security/origin.ts'
import { readAccept } from './accept.ts'
import { drain } from './body/drain.ts'
import { handleExchange, refuse } from './endpoint.ts'
import { type EndpointPath, MAX_PARAM_LENGTH, withQueryParams } from './endpoint-paths.ts'
import type { Endpoint, Exchange } from './exchange.ts'
import { Refusal } from './refusal.ts'
import { withHeaders } from './respond.ts'

export interface EntranceOptions {
  readonly endpoint: Endpoint
  /** The definition of all callers; undefined where it depends on the caller. */
  readonly dispatchers: Dispatchers | undefined
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
    recording?: Recording,
  ): Response | Promise<Response> {
    const { dispatchers, origins, queryParams, servicesOf, authenticator } = this.#options
    const endpoint = this.#endpointFor(recording)
    const waitUntil = (promise: Promise<unknown>) => ctx.waitUntil(promise)
    const refused = { endpoint, request, recording, extraHeaders: undefined }
    if (!host.served) return refuse(refused, hostNotServed(host))
    const origin = request.headers.get('origin')
    if (origin !== null && !isOriginAllowed(origin, host, origins)) {
      const text = 'This origin may not use the endpoint. The server can list it in allowedOrigins'
      return refuse(refused, new Refusal('origin-not-allowed', text))
    }
    if (origin === null && endpoint.requiresContentType && isCausedByOtherSite(request.headers)) {
      const text = 'A page of another site may not use the endpoint with the cookies of its visitor'
      return refuse(refused, new Refusal('origin-not-allowed', text))
    }
    if (request.method === 'OPTIONS') {
      recording?.abandon()
      const response = preflightResponse(request, origin ?? '*', METHODS, endpoint)
      recording?.respond(response)
      return response
    }
    const factoryParams = withQueryParams(path.params, queryParams, request.url)
    if (factoryParams === undefined) {
      const text = `A query parameter is longer than ${MAX_PARAM_LENGTH} characters or has control characters`
      return refuse(refused, new Refusal('params-malformed', text))
    }
    const services = servicesOf(env)
    const exchange: Exchange = {
      endpoint,
      request,
      env,
      waitUntil,
      services: recording === undefined ? services : new ObservedServices(services, recording),
      rateLimits: services.rateLimits,
      dispatchers,
      factoryParams,
      auth: undefined,
      grant: undefined,
      validFrom: undefined,
      isStillAuthorized: undefined,
      recheck: undefined,
      challenge: (scopes) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
      accepted: readAccept(request.headers.get('accept')),
      versionHeader: request.headers.get('mcp-protocol-version'),
      extraHeaders: origin === null ? undefined : corsHeaders(origin, endpoint.usesCookies),
      recording,
    }
    return authenticator === undefined
      ? handleExchange(exchange, path.handlers)
      : authorize(authenticator, exchange, path, ctx)
  }

  /** Returns the refusal of a request whose host is not served; undefined for a served host. */
  refuseHost(request: Request): Promise<Response> | undefined {
    const host = this.#options.checkHost(request.url)
    if (host.served) return undefined
    const { endpoint } = this.#options
    const exchange = { endpoint, request, recording: undefined, extraHeaders: undefined }
    return refuse(exchange, hostNotServed(host))
  }

  /** The endpoint, which reports to the observers of a request too. */
  #endpointFor(recording: Recording | undefined): Endpoint {
    const { endpoint } = this.#options
    if (recording?.observe === undefined) return endpoint
    return { ...endpoint, report: recording.report }
  }
}

function hostNotServed({ host }: ServedHost): Refusal {
  const text =
    `${host} is not served over plain http, also where EDGEWAY_ORIGIN names it. Use https. Behind a proxy that ends TLS, ` +
    'list it in allowedHosts; for wrangler dev, add --upstream-protocol https behind a tunnel, else --local-upstream localhost'
  return new Refusal('host-not-served', text)
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
  const { auth, grant, validFrom } = caller
  exchange.recording?.identified(auth.clientId, auth.subject)
  const challenge: Exchange['challenge'] = (scopes) =>
    authenticator.challenge(request, env, resourcePath, auth, scopes)
  const isStillAuthorized = () => authenticator.isStillAuthorized(request, env, ctx)
  const recheck: Exchange['recheck'] =
    authenticator.recheck &&
    (async () => authenticator.recheck?.(request, env, resourcePath, auth.subject))
  const authorized = { ...exchange, auth, grant, validFrom, challenge, isStillAuthorized, recheck }
  return handleExchange(authorized, handlers)
}

/** Counts a request whose token was refused by its network. A fault of the server is not counted. */
async function refuseCaller(exchange: Exchange, response: Response): Promise<Response> {
  try {
    if (response.status < 500) await exchange.endpoint.extensions.limits?.request(exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(exchange, error)
  }
  const { request, extraHeaders, recording } = exchange
  recording?.refused(challengedError(response))
  await drain(request)
  const refused = withHeaders(response, extraHeaders)
  recording?.respond(refused)
  return refused
}

/** The error of a challenge. A request without a token is challenged without one. */
function challengedError({
  status,
  headers,
}: Response): OAuthErrorCode | 'token-missing' | undefined {
  if (status !== 401 && status !== 403) return undefined
  const error = /\berror="(\w{1,40})"/.exec(headers.get('www-authenticate') ?? '')?.[1]
  if (error === undefined) return 'token-missing'
  return CHALLENGE_ERRORS.find((code) => code === error)
}

const CHALLENGE_ERRORS: readonly OAuthErrorCode[] = [
  'insufficient_scope',
  'invalid_dpop_proof',
  'invalid_request',
  'invalid_token',
  'use_dpop_nonce',
]
