/** A tool that notifies all listeners that the tools have changed. */
import { changes } from '../../../../src/features/changes/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { publishing } from '../tools/publishing.ts'

const { name, title, description, answer } = publishing

const server = createServer({
  ...SERVER_INFO,
  // All listeners are in one isolate, and callers without a subject share one limit.
  uses: [changes({ listenersPerIsolate: 2000, listenersPerSubject: 2000 })],
}).registerTool(name, { title, description }, async (ctx) => {
  await ctx.notify.toolsChanged()
  return answer
})

const edgeway = createEdgeway(server)

export default edgeway
export class McpObjects extends edgeway.Objects {}
