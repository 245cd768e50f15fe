/** The tool that most scenarios call. */
import * as z from 'zod'
import type { LaneTool } from './lane-tool.ts'

export const echo: LaneTool = {
  name: 'echo',
  title: 'Echo',
  description: 'Returns the text it is given',
  inputSchema: z.object({ text: z.string().describe('What to return') }),
  run: async ({ text }) => String(text),
}
