/** @hono/mcp over the official SDK v1, with a session in an object, in memory. */
import { DurableObject } from 'cloudflare:workers'
import { StreamableHTTPTransport } from '@hono/mcp'
import { Hono } from 'hono'
import { createServer } from '../hono-mcp/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function sessionClass(tools: readonly LaneTool[]) {
  return class extends DurableObject {
    readonly #transport = new StreamableHTTPTransport({
      sessionIdGenerator: () => this.ctx.id.name ?? '',
      // One JSON object is its cheapest answer.
      enableJsonResponse: true,
    })
    readonly #connected = createServer(tools).connect(this.#transport)
    readonly #app = new Hono().all('/mcp', async (c) => {
      await this.#connected
      return this.#transport.handleRequest(c)
    })

    override fetch(request: Request): Response | Promise<Response> {
      return this.#app.fetch(request)
    }
  }
}
