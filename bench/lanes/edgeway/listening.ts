/** A tool that notifies all listeners that the tools have changed. */
import { changes } from '../../../src/features/changes/index.ts'
import { createEdgeway, McpServer } from '../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { publishing } from '../tools/publishing.ts'

const { name, title, description, answer } = publishing

const server = new McpServer(SERVER_INFO).registerTool(
  name,
  { title, description },
  async (ctx) => {
    await ctx.notify.toolsChanged()
    return answer
  },
)

// All listeners are in one isolate, and callers without a subject share one limit.
const edgeway = createEdgeway(server, {
  features: [changes({ listenersPerIsolate: 2000, listenersPerSubject: 2000 })],
})

export default edgeway
export class McpObjects extends edgeway.Objects {}
