/** mcp-lite without a session adapter: stateless 2025 revisions. */
import { McpServer, StreamableHttpTransport } from 'mcp-lite'
import * as z from 'zod'
import { type LaneTool, SERVER_INFO } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[]) {
  const handler = new StreamableHttpTransport().bind(createServer(tools))
  return { fetch: (request: Request) => handler(request) }
}

export function createServer(tools: readonly LaneTool[]): McpServer {
  const server = new McpServer({
    ...SERVER_INFO,
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
  })
  for (const { name, title, description, inputSchema, run } of tools) {
    server.tool(name, {
      title,
      description,
      inputSchema,
      handler: async (args: Readonly<Record<string, unknown>>) => ({
        content: [{ type: 'text', text: await run(args) }],
      }),
    })
  }
  return server
}
