/** The definition that the tests of this folder test: a tool, a tool that asks, and a tool with scopes. */
import * as z from 'zod'
import { asks, createServer } from '../../src/index.ts'

export const server = createServer({ name: 'shop', version: '1.0.0', uses: [asks()] })

server.registerTool(
  'price',
  {
    title: 'Price of an item',
    description: 'Returns the price of an item.',
    inputSchema: z.object({ item: z.string() }),
    outputSchema: z.object({ euros: z.number() }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ item }) => ({ euros: item.length }),
)

const order = {
  title: 'Order an item',
  description: 'Orders an item. Asks the person for the quantity.',
  inputSchema: z.object({ item: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
}

server.registerTool('order', order, async (args, ctx) => {
  const answer = await ctx.elicit({
    message: `Order ${args.item} for ${args.item.length} euros?`,
    schema: z.object({ quantity: z.int().min(1) }),
  })
  if (answer.action !== 'accept') return 'Nothing was ordered.'
  return `Ordered ${answer.content.quantity} of ${args.item}.`
})

server.registerTool(
  'orders',
  {
    title: 'List orders',
    description: 'Returns the orders of the caller.',
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    scopes: ['orders:read'],
  },
  (ctx) => `No orders of ${ctx.auth.subject}`,
)
