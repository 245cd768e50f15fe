/** The routes of the endpoint and of the transport of 2024-11-05, in any form of their paths. */

import type { Recorder } from '../dispatch/recorder.ts'
import type { AuthGate } from '../feature/auth-config.ts'
import type { Handle, Route } from '../feature/route.ts'
import { checkMount } from '../mount.ts'
import type { HostCheck } from '../security/host.ts'
import { drain } from '../transport/body/drain.ts'
import type { EndpointPaths, PathPattern } from '../transport/endpoint-paths.ts'
import type { Entrance } from '../transport/entrance.ts'
import type { AppPaths } from './paths.ts'
import type { ObserveOf } from './record-elsewhere.ts'
import type { RouterOptions } from './router.ts'

export interface EndpointRoutesOptions {
  readonly paths: AppPaths
  readonly entrance: Entrance
  readonly checkHost: HostCheck
  /** Undefined when nothing reads requests. */
  readonly recorder: Recorder | undefined
}

export function endpointRoutes(options: EndpointRoutesOptions): readonly Route[] {
  const { patterns, endpointPaths, httpSse } = options.paths
  const transport = httpSse === undefined ? [] : [httpSse.stream, httpSse.messages]
  return [
    ...patterns.flatMap((pattern) => routesOf(pattern, endpointPaths, options)),
    ...transport.flatMap((pattern) =>
      routesOf(pattern, httpSse?.endpoints ?? endpointPaths, options),
    ),
  ]
}

function routesOf(
  pattern: PathPattern,
  of: EndpointPaths,
  { paths, entrance, checkHost, recorder }: EndpointRoutesOptions,
): readonly Route[] {
  const handle: Handle = (request, env, ctx) => {
    const { pathname } = new URL(request.url)
    // The router has matched the raw path, from which the URL may have removed dot segments.
    if (checkHost(request.url).path !== undefined) checkMount(pattern, pathname)
    const endpoint = of.find(pathname)
    const isServed = of === paths.endpointPaths || paths.httpSse?.isServed(env) === true
    if (endpoint === undefined || !isServed) return undefined
    const recording = recorder?.begin(request, env, (work) => ctx.waitUntil(work))
    return entrance.serve(request, env, ctx, endpoint, undefined, recording)
  }
  return [pattern.route, `${pattern.route}/`].map((path) => ({ path, handle }))
}

/** The routes of the auth gate: OAuth endpoints, metadata and the pages of authorization. */
export function authRoutes(gate: AuthGate, observeOf: ObserveOf): readonly Route[] {
  const handle: Handle = (request, env) =>
    gate.route(request, env, new URL(request.url).pathname, observeOf.get(request))
  return gate.paths.map((path) => ({ path, handle }))
}

/** @param endpoint the first path of the endpoint, for people */
export function createNotFound(endpoint: string): RouterOptions['notFound'] {
  return async (request) => {
    await drain(request)
    const message = `The MCP endpoint is ${endpoint}`
    return Response.json({ error: 'not_found', message }, { status: 404 })
  }
}
