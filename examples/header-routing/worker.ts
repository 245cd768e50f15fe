/**
 * Header routing: an argument that the client repeats as `Mcp-Param-Region`, so that whatever stands
 * before the server can route, count or refuse a call without reading its body. Here a Worker in
 * front does it; a load balancer or a WAF rule would see the same header. The header can be trusted
 * that far: the endpoint refuses a call whose header and body do not agree.
 *
 *     npx wrangler dev examples/header-routing/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../src/index.ts'

const REGIONS = ['eu', 'us'] as const
/** Regions whose calls are held off, as during a migration. */
const CLOSED: ReadonlySet<string> = new Set(['us'])

const server = new McpServer({ name: 'regional', version: '1.0.0' })

server.registerTool(
  'count_orders',
  {
    title: 'Count orders',
    description: 'How many orders a region has open',
    inputSchema: z.object({
      region: z.enum(REGIONS).describe('Where the orders are').meta({ 'x-mcp-header': 'Region' }),
    }),
    outputSchema: z.object({ region: z.enum(REGIONS), open: z.int() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  ({ region }) => ({ region, open: region === 'eu' ? 12 : 7 }),
)

const { fetch } = createEdgeway(server)

export default {
  fetch(request, env, ctx) {
    const region = request.headers.get('mcp-param-region')
    if (region !== null && CLOSED.has(region)) {
      return Response.json({ error: `Region ${region} is closed` }, { status: 503 })
    }
    return fetch(request, env, ctx)
  },
} satisfies ExportedHandler
