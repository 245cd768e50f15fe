/**
 * Code over tools: the model writes JavaScript in which the tools of an inventory are functions. A tool asks a person
 * before it orders; the code waits for the answer and repeats nothing.
 *
 *     npx wrangler dev examples/code/worker.ts
 */
import * as z from 'zod'
import { code } from '../../packages/code/src/code/index.ts'
import { asks, createEdgeway, createServer, ToolError } from '../../src/index.ts'

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
  ['plums', 3],
])

const server = createServer({ name: 'inventory', version: '1.0.0', uses: [asks()] })

server.registerTool(
  'list_items',
  {
    title: 'List items',
    description: 'Lists the names of all items.',
    outputSchema: z.object({ items: z.array(z.string()) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  () => ({ items: [...stock.keys()] }),
)

server.registerTool(
  'get_stock',
  {
    title: 'Look up the stock',
    description: 'Returns how many pieces of an item are left.',
    inputSchema: { item: z.string() },
    outputSchema: z.object({ item: z.string(), left: z.number() }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ item }) => {
    const left = stock.get(item)
    if (left === undefined) throw new ToolError(`There is no item ${item}`)
    return { item, left }
  },
)

server.registerTool(
  'order_item',
  {
    title: 'Order an item',
    description: 'Orders pieces of an item, after a person has confirmed it.',
    inputSchema: { item: z.string(), count: z.number().int().positive() },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
  async ({ item, count }, ctx) => {
    const { action } = await ctx.elicit({
      key: 'confirm',
      message: `Order ${count} ${item}?`,
      schema: z.object({}),
    })
    if (action !== 'accept') return `${item} were not ordered.`
    await ctx.step('order', () => stock.set(item, (stock.get(item) ?? 0) + count).size)
    return `${count} ${item} are ordered.`
  },
)

const edgeway = createEdgeway(server, { features: [code()] })
export default edgeway

export class McpObjects extends edgeway.Objects {}
