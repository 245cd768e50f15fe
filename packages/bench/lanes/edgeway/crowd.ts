/** The server of `listening.ts` for 10,000 listeners, with sessions. */
import { changes } from '../../../../src/features/changes/index.ts'
import { sessions } from '../../../../src/features/sessions/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { publishing } from '../tools/publishing.ts'

const { name, title, description, answer } = publishing

// All listeners are in one isolate, and callers without a subject share one limit. The hub runs on the
// same thread: it answers a publication when that thread has passed on what the storm published before.
const server = createServer({
  ...SERVER_INFO,
  uses: [
    changes({
      listenersPerIsolate: 10_000,
      listenersPerSubject: 10_000,
      shardTimeoutMs: 120_000,
    }),
  ],
}).registerTool(name, { title, description }, async (ctx) => {
  await ctx.notify.toolsChanged()
  return answer
})

const edgeway = createEdgeway(server, { features: [sessions()] })

export default edgeway
export class McpObjects extends edgeway.Objects {}
