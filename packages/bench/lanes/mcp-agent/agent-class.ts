/** Cloudflare's `McpAgent` over the official SDK v1. Each session is an object with storage. */
import { McpAgent } from 'agents/mcp'
import { createServer } from '../hono-mcp/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function agentClass(tools: readonly LaneTool[]) {
  return class extends McpAgent {
    readonly server = createServer(tools)

    async init(): Promise<void> {}
  }
}
