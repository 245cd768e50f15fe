/**
 * A tool with one elicitation, written as in the SDK's guide on `input_required` and with the SDK's
 * own codec for the state. The codec signs and does not encrypt. Without its `bind` option it costs
 * one HMAC per round trip, and the handler compares the argument itself.
 */
import { env } from 'cloudflare:workers'
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import { echo } from '../tools/echo.ts'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import {
  confirmation,
  confirmationJsonSchema,
  NOT_CONFIRMED,
  QUESTION_KEY,
  questionOf,
} from '../tools/question.ts'

interface Asked {
  readonly text: string
}

const { REQUEST_STATE_KEY } = env as { readonly REQUEST_STATE_KEY: string }
const codec = createRequestStateCodec<Asked>({ key: REQUEST_STATE_KEY })

/** The handler calls this for every request. */
export function createAskingServer(): McpServer {
  const server = new McpServer(SERVER_INFO, { requestState: { verify: codec.verify } })
  const { name, title, description, inputSchema } = echo
  server.registerTool(name, { title, description, inputSchema }, async (args, ctx) => {
    const text = String(args.text)
    const { inputResponses } = ctx.mcpReq
    const answer = acceptedContent(inputResponses, QUESTION_KEY, confirmation)
    if (answer === undefined || ctx.mcpReq.requestState<Asked>()?.text !== text) {
      const question = inputRequired.elicit({
        message: questionOf(text),
        requestedSchema: confirmationJsonSchema,
      })
      return inputRequired({
        inputRequests: { [QUESTION_KEY]: question },
        requestState: await codec.mint({ text }),
      })
    }
    return { content: [{ type: 'text', text: answer.confirm ? text : NOT_CONFIRMED }] }
  })
  return server
}
