/** `GET /inspect/config.json`: what the page needs to know of the server. */
import { EVENT_CATALOG } from '../../feature/event-catalog.ts'
import type { AppContext } from '../../feature/feature.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import type { Viewer } from './access.ts'
import type { InspectedServer } from './inspected-server.ts'

export function describeServer(
  { info, gate, origins, singlePaths, extensions }: AppContext,
  {
    request,
    env,
    viewer: { subject },
  }: { readonly request: Request; readonly env: unknown; readonly viewer: Viewer },
  bodies: boolean,
): InspectedServer {
  const origin = origins.ofRequest(request, env)
  return {
    serverName: info.title ?? info.name,
    version: info.version,
    endpoints: singlePaths.map((path) => `${origin}${path}`),
    development: subject === undefined,
    authorization: gate !== undefined,
    subject: subject ?? null,
    bodies: subject === undefined || bodies ? 'all' : 'own',
    events: EVENT_CATALOG.of(extensions).length > 0,
    revisions: REVISIONS.map(({ id }) => id),
  }
}
