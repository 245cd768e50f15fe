/** A tool that reads a value by its handle. */

import { createEdgeway, McpServer } from '../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

const { name, title, description, inputSchema } = echo

/** The first call creates it. */
let handle: string | undefined

const server = new McpServer(SERVER_INFO).registerTool(
  name,
  { title, description, inputSchema },
  async ({ text }, ctx) => {
    handle ??= await ctx.state.create(text)
    return await ctx.state.get<string>(handle)
  },
)

const edgeway = createEdgeway(server)

export default edgeway
export const { McpKeyring, McpState } = edgeway.objects
