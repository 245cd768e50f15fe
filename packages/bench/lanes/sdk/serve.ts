/** `createMcpHandler` of the official SDK: modern requests, and its stateless 2025 fallback. */
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type LaneTool, SERVER_INFO } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[]) {
  return createMcpHandler(() => createServer(tools))
}

/** The handler calls this for every request. */
export function createServer(tools: readonly LaneTool[]): McpServer {
  const server = new McpServer(SERVER_INFO)
  for (const { name, title, description, inputSchema, run } of tools) {
    server.registerTool(name, { title, description, inputSchema }, async (args) => ({
      content: [{ type: 'text', text: await run(args) }],
    }))
  }
  return server
}
