/**
 * A calculator without sign-in, with the calls of Cloudflare's demo `remote-mcp-authless`: a server in a
 * field, tools from raw shapes, and both transports chosen by the path of each request.
 */
import { z } from 'zod'
import { McpServer } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

export class Calculator extends McpAgent {
  server = new McpServer({ name: 'Calculator', version: '1.0.0' })

  async init() {
    this.server.tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }))

    this.server.tool(
      'calculate',
      { operation: z.enum(['subtract', 'divide']), a: z.number(), b: z.number() },
      async ({ operation, a, b }) => {
        if (operation === 'divide' && b === 0) {
          return { content: [{ type: 'text', text: 'Error: Cannot divide by zero' }] }
        }
        const value = operation === 'divide' ? a / b : a - b
        return { content: [{ type: 'text', text: String(value) }] }
      },
    )
  }
}

export const calculatorWorker = {
  fetch(request: Request, env: Cloudflare.Env, ctx: ExecutionContext) {
    const url = new URL(request.url)
    if (url.pathname === '/sse' || url.pathname === '/sse/message') {
      return Calculator.serveSSE('/sse').fetch(request, env, ctx)
    }
    if (url.pathname === '/mcp') {
      return Calculator.serve('/mcp').fetch(request, env, ctx)
    }
    return new Response('Not found', { status: 404 })
  },
}
