/** A factory: staff can refund, customers cannot. */
import * as z from 'zod'
import { type AuthInfo, createServer, type McpServer } from '../../src/index.ts'

export function createShop({ auth }: { readonly auth: AuthInfo | undefined }): McpServer {
  const server = createServer({ name: 'shop', version: '1.0.0' })
  server.registerTool('price', {}, () => '3 euros')
  if (auth?.props?.role === 'staff') {
    server.registerTool('refund', { inputSchema: z.object({ order: z.int() }) }, ({ order }) => {
      return `Refunded ${order}.`
    })
  }
  return server
}
