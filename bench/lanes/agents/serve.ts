/** Cloudflare's `createMcpHandler`, over the official SDK. */
import { createMcpHandler } from 'agents/mcp/server'
import { createServer } from '../sdk/serve.ts'
import type { LaneTool } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[]) {
  const handler = createMcpHandler(() => createServer(tools))
  return {
    fetch: (request: Request, env: unknown, ctx: ExecutionContext) => handler(request, env, ctx),
  }
}
