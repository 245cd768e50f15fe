/** `GET /inspect/config.json`: what the page needs to know of the server. */
import { REVISIONS } from '../../protocol/revisions.ts'
import type { Viewer } from './access.ts'
import type { InspectedServer } from './inspected-server.ts'
import type { InspectorContext } from './inspector-config.ts'

export function describeServer(
  { app: { info, gate, origins, singlePaths } }: InspectorContext,
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
    revisions: REVISIONS.map(({ id }) => id),
  }
}
