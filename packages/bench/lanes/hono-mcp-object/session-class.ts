/** `@hono/mcp` over the official SDK v1, with one object per session and its state in memory. */
import { DurableObject } from 'cloudflare:workers'
import { StreamableHTTPTransport } from '@hono/mcp'
import { Hono } from 'hono'
import { createServer } from '../hono-mcp/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function sessionClass(tools: readonly LaneTool[]) {
  return class extends DurableObject {
    readonly #transport = new StreamableHTTPTransport({
      sessionIdGenerator: () => this.ctx.id.name ?? '',
      // A JSON response is cheaper for this library than an event stream.
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
