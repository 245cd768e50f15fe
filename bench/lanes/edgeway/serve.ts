/** Edgeway, bundled from its source. */
import { createEdgeway, type EdgewayOptions, McpServer } from '../../../src/index.ts'
import { type LaneTool, SERVER_INFO } from '../tools/lane-tool.ts'

export function serve(tools: readonly LaneTool[], options: EdgewayOptions = {}) {
  const server = new McpServer(SERVER_INFO)
  for (const { name, title, description, inputSchema, run } of tools) {
    server.registerTool(name, { title, description, inputSchema }, run)
  }
  return createEdgeway(server, options)
}
