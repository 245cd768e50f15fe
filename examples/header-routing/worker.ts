/**
 * Header routing: the client repeats an argument in the header `Mcp-Param-Region`, so that a proxy can
 * route, count or reject a call without reading its body. In this example the Worker itself does it; a load
 * balancer or a WAF rule sees the same header. The header is reliable: the endpoint rejects a call whose
 * header differs from its body.
 *
 *     npx wrangler dev examples/header-routing/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, createServer } from '../../src/index.ts'

const REGIONS = ['eu', 'us'] as const
/** Regions whose calls are rejected, for example during a migration. */
const CLOSED: ReadonlySet<string> = new Set(['us'])

const server = createServer({ name: 'regional', version: '1.0.0' })

server.registerTool(
  'count_orders',
  {
    title: 'Count orders',
    description: 'Counts the open orders of a region',
    inputSchema: z.object({
      region: z
        .enum(REGIONS)
        .describe('The region of the orders')
        .meta({ 'x-mcp-header': 'Region' }),
    }),
    outputSchema: z.object({ region: z.enum(REGIONS), open: z.int() }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
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
} satisfies ExportedHandler<Cloudflare.Env>
