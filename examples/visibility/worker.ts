/**
 * Visibility and scopes: `visible` decides whether a principal sees a tool at all, `scopes` what the
 * access token must allow to call one that is seen. Without authorization every caller is anonymous.
 *
 *     npx wrangler dev examples/visibility/worker.ts
 */
import * as z from 'zod'
import { type AuthInfo, createEdgeway, McpServer } from '../../src/index.ts'

/** May depend on the principal alone: two requests of one caller must see the same list. */
const isStaff = (auth: AuthInfo | undefined) => auth?.props?.role === 'staff'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
const stock = new Map([
  ['tea', 12],
  ['cups', 3],
])

server.registerTool(
  'check_stock',
  {
    title: 'Check stock',
    description: 'How many pieces of an item are there',
    inputSchema: z.object({ item: z.string().max(100) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  ({ item }) => `${item}: ${stock.get(item) ?? 0}`,
)

server.registerTool(
  'set_stock',
  {
    title: 'Set stock',
    description: 'Corrects the number of pieces after counting them',
    inputSchema: z.object({ item: z.string().max(100), pieces: z.int().min(0) }),
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    // To anybody else the tool does not exist: it is in no list, and calling it is an unknown tool.
    visible: isStaff,
    // Staff see it, and are asked to authorize again where their token lacks the scope.
    scopes: ['stock:write'],
  },
  ({ item, pieces }) => {
    stock.set(item, pieces)
    return `${item}: ${pieces}`
  },
)

export default createEdgeway(server)
