/** The route of webhooks. Its last segment is a secret, as in those of files. */
import { WEBHOOKS_PATH } from '../dispatch/task-ids.ts'
import type { Services } from '../ports/services.ts'
import type { Limits } from '../transport/limits.ts'
import { serveWebhook } from '../transport/webhook.ts'
import type { Route } from './router.ts'

export interface SecretRouteOptions {
  readonly servicesOf: (env: unknown) => Services
  readonly audience: string
  readonly limits: Limits
}

export function webhookRoute({ servicesOf, audience, limits }: SecretRouteOptions): Route {
  return {
    path: `${WEBHOOKS_PATH}/:secret`,
    handle: (request, env) =>
      serveWebhook(request, secretOf(request), servicesOf(env), audience, limits),
  }
}

/** The last segment of the path, decoded: a program may encode any character of it. */
export function secretOf({ url }: Request): string {
  const { pathname } = new URL(url)
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    // No secret contains a percent sign, so this one opens nothing.
    return segment
  }
}
