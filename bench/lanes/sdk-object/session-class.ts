/**
 * The official SDK with a session in an object, wired by hand as its guide on sessions has it: one
 * transport and one server for each session. What they know is in memory and goes with the object.
 */
import { DurableObject } from 'cloudflare:workers'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createServer } from '../sdk/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function sessionClass(tools: readonly LaneTool[]) {
  return class extends DurableObject {
    readonly #transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.ctx.id.name ?? '',
      // One JSON object is its cheapest answer.
      enableJsonResponse: true,
    })
    readonly #connected = createServer(tools).connect(this.#transport)

    override async fetch(request: Request): Promise<Response> {
      await this.#connected
      return this.#transport.handleRequest(request)
    }
  }
}
