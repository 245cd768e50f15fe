/**
 * The official SDK with one object per session. Each object has one transport and one server, as in
 * the SDK's guide on sessions. Their state is in memory and is lost with the object.
 */
import { DurableObject } from 'cloudflare:workers'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createServer } from '../sdk/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function sessionClass(tools: readonly LaneTool[]) {
  return class extends DurableObject {
    readonly #transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.ctx.id.name ?? '',
      // A JSON response is cheaper for this library than an event stream.
      enableJsonResponse: true,
    })
    readonly #connected = createServer(tools).connect(this.#transport)

    override async fetch(request: Request): Promise<Response> {
      await this.#connected
      return this.#transport.handleRequest(request)
    }
  }
}
