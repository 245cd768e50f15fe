/** `@hono/mcp` over the official SDK v1, stateless: a new server for every request. */
import { StreamableHTTPTransport } from '@hono/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Hono } from 'hono'
import { type LaneTool, SERVER_INFO } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[]) {
  const app = new Hono()
  app.all('/mcp', async (c) => {
    const transport = new StreamableHTTPTransport({
      sessionIdGenerator: undefined,
      // A JSON response is cheaper for this library than an event stream.
      enableJsonResponse: true,
    })
    await createServer(tools).connect(transport)
    return transport.handleRequest(c)
  })
  return app
}

export function createServer(tools: readonly LaneTool[]): McpServer {
  const server = new McpServer(SERVER_INFO)
  for (const { name, title, description, inputSchema, run } of tools) {
    server.registerTool(name, { title, description, inputSchema }, async (args) => ({
      content: [{ type: 'text', text: await run(args) }],
    }))
  }
  return server
}
