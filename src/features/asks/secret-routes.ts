/** Routes whose last segment is a secret, of webhooks and files: they need no token, and answer programs with one message. */

import type { AppContext } from '../../feature/feature.ts'
import type { Route } from '../../feature/route.ts'
import { tryDecodeUri } from '../../platform/try-parse.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Services } from '../../ports/services.ts'
import { drain } from '../../transport/body/drain.ts'

/** Whether the secret of a request is sealed for this server, without a call of an object. */
export function opensSecret(
  { servicesOf, audience }: Pick<AppContext, 'servicesOf' | 'audience'>,
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
  // No secret contains a percent sign, so a malformed one opens nothing.
  return tryDecodeUri(segment) ?? segment
}

/** Returns the value of `Retry-After` for a request above the limit of its network; undefined for any other. */
export async function overLimit(services: Services, headers: Headers): Promise<string | undefined> {
  const limited = await services.rateLimits()?.ofNetwork('network', headers)
  return limited && String(limited.retryAfterSeconds)
}

/** Reads the rest of the request first: the platform otherwise resets the connection. */
export async function textAnswer(
  request: Request,
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> {
  await drain(request)
  const body = status < 300 ? { message } : { error: message }
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
  })
}
