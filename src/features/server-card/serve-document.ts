/** Serves a public JSON document: to every page, without authentication, with an entity tag. */
import type { AppContext } from '../../feature/feature.ts'
import type { Handle } from '../../feature/route.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import { isNoneMatch } from '../../platform/etag.ts'
import { jsonText } from '../../protocol/json.ts'
import { isLoopbackName } from '../../protocol/loopback-name.ts'
import { drain } from '../../transport/body/drain.ts'
import { refusalOfExcess } from '../../transport/rate-limits.ts'
import { refusalEvent } from '../../transport/refusal.ts'
import { refusalResponse } from '../../transport/respond.ts'

/** @see https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/discovery.md#cors-requirements */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
} as const

export interface ServedDocument {
  readonly mediaType: string
  /** What it is, for the response to other methods. */
  readonly name: string
  /** Undefined where there is none. */
  readonly create: (request: Request, env: unknown) => object | undefined
}

export function serveDocument(
  app: AppContext,
  { mediaType, name, create }: ServedDocument,
): Handle {
  const { servicesOf, report } = app
  return async (request, env) => {
    const { method, headers } = request
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS })
    const document = create(request, env)
    if (document === undefined) return undefined
    if (method !== 'GET' && method !== 'HEAD') {
      await drain(request)
      const message = `This is the ${name}, which is read by GET. The MCP endpoint is ${app.patterns[0]?.source}`
      return Response.json(
        { error: 'method_not_allowed', message },
        { status: 405, headers: { ...CORS, allow: 'GET, HEAD, OPTIONS' } },
      )
    }
    const { rateLimits } = servicesOf(env)
    const refusal = await refusalOfExcess({ rateLimits, request })
    if (refusal !== undefined) {
      report(refusalEvent(refusal))
      return refusalResponse(refusal, CORS)
    }
    const body = jsonText(document)
    const etag = `"${await sha256Base64Url(body)}"`
    const common = { ...CORS, 'cache-control': 'public, max-age=3600', etag }
    if (isNoneMatch(headers.get('if-none-match'), etag)) {
      return new Response(null, { status: 304, headers: common })
    }
    return new Response(method === 'HEAD' ? null : body, {
      headers: { ...common, 'content-type': mediaType, 'x-content-type-options': 'nosniff' },
    })
  }
}

/**
 * The origin that a request asked for, in the form in which clients reach it: over https, except on this machine. A host
 * of `allowedHosts` is asked over plain http by the proxy in front of this server, which ends TLS.
 *
 * @throws {TypeError} when the variable of the origin is invalid
 */
export function publicOrigin({ origins }: AppContext, request: Request, env: unknown): string {
  const origin = origins.ofRequest(request, env)
  return isLoopbackName(new URL(origin).hostname) ? origin : origin.replace(/^http:/, 'https:')
}
