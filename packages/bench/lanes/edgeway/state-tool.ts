/** A server whose tool `echo` works with a value that the first call has stored. */

import { type StateContext, state } from '../../../../src/features/state/index.ts'
import { createEdgeway, createServer } from '../../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'

/** Returns the text of the call. */
export type StateUse = (state: StateContext, handle: string, text: string) => Promise<string>

export function serveState(use: StateUse) {
  const { name, title, description, inputSchema } = echo
  let handle: string | undefined
  const server = createServer({ ...SERVER_INFO, uses: [state()] }).registerTool(
    name,
    { title, description, inputSchema },
    async ({ text }, ctx) => {
      handle ??= await ctx.state.create(text)
      return await use(ctx.state, handle, String(text))
    },
  )
  return createEdgeway(server)
}
