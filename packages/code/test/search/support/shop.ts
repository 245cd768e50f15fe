/** A server with tools of every kind, behind `search()`. */
import * as z from 'zod'
import { McpServer } from '../../../../../src/index.ts'

const READS = { readOnlyHint: true } as const

/** @param subject has a tool of its own */
export function createShop(subject?: string): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.registerTool(
    'list_orders',
    {
      title: 'List orders',
      description: 'Returns the orders of a person, the newest first.',
      annotations: READS,
      tags: ['orders'],
      inputSchema: { status: z.enum(['open', 'shipped']).optional() },
      outputSchema: z.object({ orders: z.array(z.string()) }),
    },
    ({ status = 'open' }) => ({ orders: [`one ${status}`] }),
  )
  server.registerTool(
    'refund_order',
    {
      description: 'Pays the money of an order back.',
      tags: ['orders', 'payments'],
      inputSchema: { order: z.string(), cents: z.int().min(1).optional() },
    },
    ({ order, cents }) => `refunded ${order} ${cents ?? 'all'}`,
  )
  server.registerTool(
    'shop.weather',
    { description: 'The weather at the shop.', annotations: READS },
    () => 'rain',
  )
  server.registerTool(
    'delete_customer',
    { description: 'Removes a customer for good.', visible: (auth) => auth !== undefined },
    () => 'deleted',
  )
  if (subject !== undefined) server.registerTool(`tool_of_${subject}`, {}, () => subject)
  return server
}
