/** The door of either way of authorization, made per environment and origin: that is what issuer and audience are. */
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthGate, AuthGateContext } from './auth-config.ts'
import { type AuthParts, type AuthSetup, authFor } from './auth-parts.ts'
import type { AuthSettings } from './auth-settings.ts'
import { ROUTES, serveRoute } from './server/routes.ts'

/** The origin under which a request is served: configuration, or the machine's own name. */
const ORIGIN_VARIABLE = 'EDGEWAY_ORIGIN'

/** Names that a machine is called by. */
const MAX_ORIGINS = 16

/** @throws {TypeError} for a configuration that makes no sense */
export function createAuthGate(config: AuthSettings, place: AuthGateContext): AuthGate {
  const { isLoopback, report } = place
  if (config.origin !== undefined) checkOrigin(config.origin)
  const setup: AuthSetup = { ...place, config }
  const made = new WeakMap<object, Map<string, AuthParts>>()

  const partsOf = (request: Request, env: unknown): AuthParts | undefined => {
    const loopback = isLoopback(request)
    const origin = originOf(config, env) ?? (loopback ? new URL(request.url).origin : undefined)
    if (origin === undefined) return undefined
    const key = typeof env === 'object' && env !== null ? env : NO_ENVIRONMENT
    const byOrigin = made.get(key) ?? new Map<string, AuthParts>()
    made.set(key, byOrigin)
    // Who may sign in depends on how the request came, not on what the server is called.
    const name = `${origin} ${loopback}`
    const known = byOrigin.get(name)
    if (known !== undefined) return known
    if (byOrigin.size >= MAX_ORIGINS) byOrigin.clear()
    const parts = authFor(setup, origin, env, loopback)
    byOrigin.set(name, parts)
    return parts
  }

  return {
    async authenticate(request, env, path) {
      try {
        const parts = partsOf(request, env)
        if (parts === undefined) return notConfigured(report)
        return await parts.resourceServer.authenticate(request, `${parts.origin}${path}`)
      } catch (error) {
        report({ type: 'internal-error', error })
        return unavailable('Authorization cannot be checked at the moment')
      }
    },
    challenge(request, env, path, auth, scopes) {
      const parts = partsOf(request, env)
      if (parts === undefined) return 'Bearer error="insufficient_scope"'
      const resource = `${parts.origin}${path}`
      return parts.resourceServer.insufficientScope(resource, scopes, { auth, request })
    },
    async isStillAuthorized(request, env) {
      return (await partsOf(request, env)?.resourceServer.isStillAuthorized(request)) ?? false
    },
    route(request, env, pathname) {
      const route = ROUTES.get(pathname)
      if (route === undefined || config.kind === 'external') {
        return pathname.startsWith('/.well-known/oauth-protected-resource')
          ? metadata(request, env)
          : undefined
      }
      return serve(request, env, route)
    },
  }

  function metadata(request: Request, env: unknown): Promise<Response> | undefined {
    const parts = partsOf(request, env)
    if (parts === undefined) return Promise.resolve(notConfigured(report))
    const response = parts.resourceServer.metadata(request)
    return response && Promise.resolve(response)
  }

  async function serve(
    request: Request,
    env: unknown,
    route: Parameters<typeof serveRoute>[2],
  ): Promise<Response> {
    try {
      const parts = partsOf(request, env)
      if (parts?.authorizationServer === undefined) return notConfigured(report)
      return await serveRoute(parts.authorizationServer, request, route)
    } catch (error) {
      report({ type: 'internal-error', error })
      return unavailable('The authorization server is not available at the moment')
    }
  }
}

const NO_ENVIRONMENT = {}

function originOf({ origin }: AuthSettings, env: unknown): string | undefined {
  if (origin !== undefined) return origin
  const variable = (env as Record<string, unknown> | undefined)?.[ORIGIN_VARIABLE]
  if (typeof variable !== 'string' || variable === '') return undefined
  checkOrigin(variable)
  return variable
}

/** @throws {TypeError} for anything but an origin, spelt as origins are */
function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return
  throw new TypeError(
    `The origin "${origin}" must be one, such as https://mcp.example.com, without a slash at its end`,
  )
}

function notConfigured(report: TelemetrySink): Response {
  const text = `This server does not know where it is reached: set ${ORIGIN_VARIABLE} to its https origin`
  report({ type: 'internal-error', error: new Error(text) })
  return unavailable(text)
}

function unavailable(message: string): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32603, message } })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(body, { status: 503, headers })
}
