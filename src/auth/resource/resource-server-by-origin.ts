/** Resource servers of a machine that is called by whatever name it has: loopback development. */
import type { ResourceServer } from './resource-server.ts'

/** Names and ports that one development server is called by. */
const MAX_ORIGINS = 16

/**
 * One resource server per origin, made on first use.
 *
 * @param originOf what it gives becomes issuer and audience: it must answer for loopback names alone
 */
export function createResourceServerByOrigin(
  originOf: (request: Request) => string,
  create: (origin: string) => ResourceServer,
): ResourceServer {
  const made = new Map<string, ResourceServer>()
  const at = (origin: string): ResourceServer => {
    const known = made.get(origin)
    if (known !== undefined) return known
    const [oldest] = made.size < MAX_ORIGINS ? [] : made.keys()
    if (oldest !== undefined) made.delete(oldest)
    const server = create(origin)
    made.set(origin, server)
    return server
  }
  return {
    authenticate: async (request, resource) =>
      at(originOf(request)).authenticate(request, resource),
    insufficientScope: (resource, scopes, caller) =>
      at(new URL(resource).origin).insufficientScope(resource, scopes, caller),
    metadata: (request) => at(originOf(request)).metadata(request),
    forget(grantId) {
      for (const server of made.values()) server.forget(grantId)
    },
  }
}
