/** The SDK with its in-memory event bus, which reaches only the listeners of one isolate. */
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { publishing } from '../tools/publishing.ts'

const handler = createMcpHandler(() => {
  const server = new McpServer(SERVER_INFO)
  const { name, title, description, answer } = publishing
  server.registerTool(name, { title, description }, async () => {
    handler.notify.toolsChanged()
    return { content: [{ type: 'text', text: answer }] }
  })
  return server
})

export default handler
