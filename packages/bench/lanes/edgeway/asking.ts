/** A tool that awaits one elicitation. Edgeway handles the two round trips. */
import { asks, createEdgeway, createServer } from '../../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { confirmation, NOT_CONFIRMED, QUESTION_KEY, questionOf } from '../tools/question.ts'

const { name, title, description, inputSchema } = echo

const server = createServer({ ...SERVER_INFO, uses: [asks()] }).registerTool(
  name,
  { title, description, inputSchema },
  async ({ text }, ctx) => {
    const message = questionOf(String(text))
    const { content } = await ctx.elicit({ key: QUESTION_KEY, message, schema: confirmation })
    return content?.confirm === true ? String(text) : NOT_CONFIRMED
  },
)

const edgeway = createEdgeway(server)

export default edgeway
export class McpObjects extends edgeway.Objects {}
