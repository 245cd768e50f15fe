/** The definition that the tests of this folder test: a tool, a tool that asks, and a tool with scopes. */
import * as z from 'zod'
import { McpServer } from '../../src/index.ts'

export const server = new McpServer({ name: 'shop', version: '1.0.0' })

server.registerTool(
  'price',
  { inputSchema: z.object({ item: z.string() }), outputSchema: z.object({ euros: z.number() }) },
  ({ item }) => ({ euros: item.length }),
)

server.registerTool('order', { inputSchema: z.object({ item: z.string() }) }, async (args, ctx) => {
  const answer = await ctx.elicit({
    message: `Order ${args.item} for ${args.item.length} euros?`,
    schema: z.object({ quantity: z.int().min(1) }),
  })
  if (answer.action !== 'accept') return 'Nothing was ordered.'
  return `Ordered ${answer.content.quantity} of ${args.item}.`
})

server.registerTool(
  'orders',
  { scopes: ['orders:read'] },
  (ctx) => `No orders of ${ctx.auth.subject}`,
)
