/** The route of webhooks. Its last segment is a secret, as in those of files. */

import type { Route } from '../../feature/route.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Services } from '../../ports/services.ts'
import type { Limits } from '../../transport/limits.ts'
import { serveWebhook } from './serve-webhook.ts'
import { openWebhook, WEBHOOKS_PATH } from './webhook-secrets.ts'

export interface SecretRouteOptions {
  readonly servicesOf: (env: unknown) => Services
  readonly audience: string
  readonly limits: Limits
}

export function webhookRoute({ servicesOf, audience, limits }: SecretRouteOptions): Route {
  return {
    path: `${WEBHOOKS_PATH}/:secret`,
    isOwn: opensSecret({ servicesOf, audience }, openWebhook),
    handle: (request, env) =>
      serveWebhook(request, secretOf(request), servicesOf(env), audience, limits),
  }
}

/** Whether the secret of a request is sealed for this server, without a call of an object. */
export function opensSecret(
  { servicesOf, audience }: Pick<SecretRouteOptions, 'servicesOf' | 'audience'>,
  open: (sealer: Sealer, audience: string, secret: string) => Promise<unknown>,
): NonNullable<Route['isOwn']> {
  return async (request, env) => {
    const sealer = servicesOf(env).sealer()
    return sealer !== undefined && (await open(sealer, audience, secretOf(request))) !== undefined
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
