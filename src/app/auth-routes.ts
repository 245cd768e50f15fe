/** The routes of the auth gate: OAuth endpoints, metadata and the pages of authorization. */
import type { AuthGate } from '../feature/auth-config.ts'
import type { Handle, Route } from '../feature/route.ts'
import type { ObserveOf } from './record-elsewhere.ts'

export function authRoutes(gate: AuthGate, observeOf: ObserveOf): readonly Route[] {
  const handle: Handle = (request, env) =>
    gate.route(request, env, new URL(request.url).pathname, observeOf.get(request))
  return gate.paths.map((path) => ({ path, handle }))
}
