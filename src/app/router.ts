/** Routes every request that is not at a path of the endpoint in its normal form, and the same handlers. */
import { Hono } from 'hono/tiny'
import type { AuthGate } from '../auth/auth-config.ts'
import { WEBHOOKS_PATH } from '../dispatch/task-ids.ts'
import { checkMount, executionContextOf, MountError } from '../mount.ts'
import type { Services } from '../ports/services.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { Implementation } from '../protocol/content.ts'
import type { HostCheck } from '../security/host.ts'
import { drain } from '../transport/body/drain.ts'
import type { EndpointPaths, PathPattern } from '../transport/endpoint-paths.ts'
import type { Entrance } from '../transport/entrance.ts'
import type { Limits } from '../transport/limits.ts'
import { internalErrorResponse } from '../transport/respond.ts'
import { serveWebhook } from '../transport/webhook.ts'
import type { AppPaths } from './paths.ts'

export interface RouterOptions {
  readonly info: Implementation
  /** The first path of the endpoint, for people. */
  readonly path: string
  readonly paths: AppPaths
  readonly entrance: Entrance
  /** Undefined on a server without authorization. */
  readonly gate: AuthGate | undefined
  readonly servicesOf: (env: unknown) => Services
  readonly checkHost: HostCheck
  readonly audience: string
  readonly limits: Limits
  readonly report: TelemetrySink
}

export function createRouter<Env>(options: RouterOptions): Hono<{ Bindings: Env & object }> {
  const { info, path, entrance, gate, servicesOf, checkHost, audience, limits, report } = options
  const { patterns, endpointPaths, httpSse } = options.paths
  const app = new Hono<{ Bindings: Env & object }>()
  const serveAt = (pattern: PathPattern, paths: EndpointPaths) => {
    for (const route of [pattern.route, `${pattern.route}/`]) {
      app.all(route, (c) => {
        // The host is checked first, because the URL of a malformed host cannot be parsed.
        const refused = entrance.refuseHost(c.req.raw)
        if (refused !== undefined) return refused
        const { pathname } = new URL(c.req.url)
        // The router has matched the raw path, from which the URL may have removed dot segments.
        if (checkHost(c.req.url).path !== undefined) checkMount(pattern, pathname)
        const endpoint = paths.find(pathname)
        const isServed = paths === endpointPaths || servicesOf(c.env).sessions() !== undefined
        return endpoint === undefined || !isServed
          ? c.notFound()
          : entrance.serve(c.req.raw, c.env, executionContextOf(c), endpoint)
      })
    }
  }
  for (const pattern of patterns) serveAt(pattern, endpointPaths)
  if (httpSse !== undefined) {
    for (const pattern of [httpSse.stream, httpSse.messages]) serveAt(pattern, httpSse.endpoints)
  }
  for (const at of gate?.paths ?? []) {
    app.all(at, async (c, next) => {
      // The host is checked first, because the URL of a malformed host cannot be parsed.
      const response =
        entrance.refuseHost(c.req.raw) ?? gate?.route(c.req.raw, c.env, new URL(c.req.url).pathname)
      return (await response) ?? next()
    })
  }
  app.all(`${WEBHOOKS_PATH}/:secret`, async (c) => {
    const refused = entrance.refuseHost(c.req.raw)
    return (
      refused ?? serveWebhook(c.req.raw, c.req.param('secret'), servicesOf(c.env), audience, limits)
    )
  })
  app.get('/', async (c) => {
    const refused = await entrance.refuseHost(c.req.raw)
    return refused ?? c.text(welcome(info, `${checkHost(c.req.url).origin}${path}`))
  })
  app.notFound(async (c) => {
    // The host is checked first, because the URL of a malformed host cannot be parsed.
    const refused = await entrance.refuseHost(c.req.raw)
    if (refused !== undefined) return refused
    await drain(c.req.raw)
    return c.json({ error: 'not_found', message: `The MCP endpoint is ${path}` }, 404)
  })
  app.onError((error) => {
    if (error instanceof MountError) throw error
    report({ type: 'internal-error', error })
    return internalErrorResponse(undefined)
  })
  return app
}

function welcome(
  { name, version }: { readonly name: string; readonly version: string },
  url: string,
): string {
  return `${`${name} ${version}`.trim()}\n\nA Model Context Protocol server. Add this URL to an MCP client:\n${url}\n`
}
