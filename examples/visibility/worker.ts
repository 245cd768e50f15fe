/**
 * Visibility and scopes: `visible` decides whether a principal sees a tool, and `scopes` which scopes the
 * access token needs to call it. Without authorization every caller is anonymous.
 *
 *     npx wrangler dev examples/visibility/worker.ts
 */
import * as z from 'zod'
import { type AuthInfo, createEdgeway, createServer } from '../../src/index.ts'

/** Must depend on the principal alone: all requests of one caller must see the same list. */
const isStaff = (auth: AuthInfo | undefined) => auth?.props?.role === 'staff'

const server = createServer({ name: 'shop', version: '1.0.0' })
const stock = new Map([
  ['tea', 12],
  ['cups', 3],
])

server.registerTool(
  'check_stock',
  {
    title: 'Check stock',
    description: 'Returns the number of pieces of an item',
    inputSchema: z.object({ item: z.string().max(100) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ item }) => `${item}: ${stock.get(item) ?? 0}`,
)

server.registerTool(
  'set_stock',
  {
    title: 'Set stock',
    description: 'Sets the number of pieces of an item',
    inputSchema: z.object({ item: z.string().max(100), pieces: z.int().min(0) }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    // For other callers the tool does not exist: it is not listed, and a call is an unknown tool.
    visible: isStaff,
    // A staff member whose token lacks the scope is asked to authorize again.
    scopes: ['stock:write'],
  },
  ({ item, pieces }) => {
    stock.set(item, pieces)
    return `${item}: ${pieces}`
  },
)

export default createEdgeway(server)
