/** `createMcpHandler` of Cloudflare's `agents`, over the official SDK. */
import type { McpServer } from '@modelcontextprotocol/server'
import { createMcpHandler } from 'agents/mcp/server'
import { createServer } from '../sdk/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[]) {
  return serveWith(() => createServer(tools))
}

export function serveWith(create: () => McpServer) {
  const handler = createMcpHandler(create)
  return {
    fetch: (request: Request, env: unknown, ctx: ExecutionContext) => handler(request, env, ctx),
  }
}
