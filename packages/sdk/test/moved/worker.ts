/** One deployment of all servers: each on a path of its own. */

import { changes } from '../../../../src/features/changes/index.ts'
import { sessions } from '../../../../src/features/sessions/index.ts'
import { createEdgeway, type FactoryContext } from '../../../../src/index.ts'
import type { ServerSource } from '../../../../src/server/mcp-server.ts'
import { createDeployServer } from './servers/deploys.ts'
import { createServer } from './servers/everything.ts'
import { server as graph } from './servers/graph.ts'
import { buildIssuesServer } from './servers/issues.ts'
import { createLibraryServer } from './servers/library-docs.ts'
import { PaymentsServer } from './servers/payments.ts'
import { server as repositories } from './servers/repositories.ts'

export interface MovedEnv {
  readonly API_KEY: string
}

const SERVERS: Readonly<Record<string, (env: MovedEnv) => ServerSource>> = {
  deploys: createDeployServer,
  everything: () => createServer().server,
  graph: () => graph,
  issues: buildIssuesServer,
  'library-docs': ({ API_KEY }) => createLibraryServer({ apiKey: API_KEY }),
  payments: ({ API_KEY }) => new PaymentsServer({ secretKey: API_KEY }),
  repositories: () => repositories,
}

export const edgeway = createEdgeway(
  ({ env, params }: FactoryContext<MovedEnv>) => {
    const create = SERVERS[params.server ?? '']
    if (create === undefined) throw new Error(`There is no server ${params.server}`)
    return create(env)
  },
  {
    info: { name: 'moved', version: '1' },
    path: '/mcp/{server}',
    features: [sessions(), changes()],
    telemetry: () => undefined,
    limits: { streamAfterMs: 2000 },
  },
)

export class McpObjects extends edgeway.Objects {}
export default edgeway
