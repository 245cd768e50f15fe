/** The same server as that of the official SDK, with the imports of `edgeway/sdk`. */
import { createMcpHandler, McpServer } from '../../../sdk/src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

export default createMcpHandler(() => {
  const server = new McpServer(SERVER_INFO)
  const { name, title, description, inputSchema, run } = echo
  server.registerTool(name, { title, description, inputSchema }, async (args) => ({
    content: [{ type: 'text', text: await run(args) }],
  }))
  return server
})
