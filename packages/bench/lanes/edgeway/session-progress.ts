/** A tool that reports progress on each step: its stream has `count` events and the result. */
import * as z from 'zod'
import { sessions } from '../../../../src/features/sessions/index.ts'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

const server = new McpServer(SERVER_INFO).registerTool(
  'progress',
  {
    title: 'Progress',
    description: 'Reports progress `count` times',
    inputSchema: z.object({ count: z.int().min(1).max(1000) }),
  },
  async ({ count }, ctx) => {
    for (let step = 1; step <= count; step++) await ctx.progress(step, count)
    return 'done'
  },
)

const edgeway = createEdgeway(server, { features: [sessions()] })

export default edgeway
export class McpObjects extends edgeway.Objects {}
