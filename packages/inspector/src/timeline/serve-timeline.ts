/** `GET /inspect/timeline` as text and `GET /inspect/timeline.json`, in development alone. */

import {
  type AppContext,
  type Handle,
  isCausedByOtherSite,
  isOriginAllowed,
  type ServedHost,
} from '../../../../src/internal.ts'
import { TIMELINE_STORE } from '../objects/log/port.ts'
import type { TimelineControl } from './timeline-control.ts'

const TIMELINE_PATH = '/inspect/timeline'
const TIMELINE_JSON_PATH = `${TIMELINE_PATH}.json`

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

export function createTimelineHandler(
  { servicesOf, origins, checkHost }: AppContext,
  control: (env: unknown) => TimelineControl,
): Handle {
  return (request, env) => {
    if (!URL.canParse(request.url)) return undefined
    const { pathname } = new URL(request.url)
    if (pathname !== TIMELINE_PATH && pathname !== TIMELINE_JSON_PATH) return undefined
    if (servicesOf(env).of(TIMELINE_STORE) === undefined) return undefined
    if (!origins.isDevelopment(request, env)) return undefined
    return serveTimeline(request, checkHost(request.url), control(env))
  }
}

/** Pages of other sites may neither read it nor embed it. */
async function serveTimeline(
  request: Request,
  host: ServedHost,
  control: TimelineControl,
): Promise<Response> {
  const { method, headers, url } = request
  const origin = headers.get('origin')
  const policy = { allowedOrigins: [], bearerRequired: false }
  if (isCausedByOtherSite(headers) || (origin !== null && !isOriginAllowed(origin, host, policy))) {
    return problem(403, 'Only pages of this server may read the timeline')
  }
  if (method !== 'GET' && method !== 'HEAD') return problem(405, 'Use GET', { allow: 'GET, HEAD' })
  if (new URL(url).pathname === TIMELINE_PATH) {
    const type = 'text/plain; charset=utf-8'
    return new Response(await control.text(), { headers: { ...HEADERS, 'content-type': type } })
  }
  return Response.json({ connections: await control.connections() }, { headers: HEADERS })
}

function problem(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: message }, { status, headers: { ...HEADERS, ...headers } })
}
