/**
 * Follows the examples of @modelcontextprotocol/server 2.4.0 (SDK 2.x, zod 4): `ctx` as the second
 * argument, raw shapes, `inputRequired()` with its helpers, and errors of the protocol.
 */
import * as z from 'zod'
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '../../../src/index.ts'

const ConfirmSchema = z.object({ confirm: z.boolean() })

export function createDeployServer() {
  const server = new McpServer(
    { name: 'deploys', version: '2.0.0' },
    { requestState: { verify: (state) => JSON.parse(state) } },
  )
  server.registerTool(
    'deploy',
    { inputSchema: z.object({ target: z.string() }), annotations: { destructiveHint: true } },
    async ({ target }, ctx) => {
      const confirmed = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', ConfirmSchema)
      if (confirmed?.confirm !== true) {
        const { kind } = inputResponse(ctx.mcpReq.inputResponses, 'confirm')
        if (kind === 'elicit')
          return { content: [{ type: 'text', text: `not deployed to ${target}` }] }
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({
              message: `Deploy to ${target}?`,
              requestedSchema: ConfirmSchema,
            }),
          },
          requestState: JSON.stringify({ asked: target }),
        })
      }
      const state = ctx.mcpReq.requestState<{ asked: string }>()
      return { content: [{ type: 'text', text: `deployed to ${state?.asked}` }] }
    },
  )
  server.registerTool(
    'status',
    { inputSchema: { id: z.number().int() } },
    async ({ id }, ctx: ServerContext) => {
      await ctx.mcpReq.log('info', { id }, 'deploys')
      if (id === 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no deploy 0')
      const headers = [...(ctx.http?.req?.headers.keys() ?? [])]
      return {
        content: [
          { type: 'text', text: `${ctx.mcpReq.method} ${id} ${headers.includes('accept')}` },
        ],
      }
    },
  )
  server.registerTool('who', {}, async (ctx) => ({
    content: [
      {
        type: 'text',
        text: `${ctx.http?.authInfo?.clientId ?? 'anonymous'} ${typeof ctx.mcpReq.id}`,
      },
    ],
  }))
  server.registerPrompt('review', { argsSchema: z.object({ id: z.string() }) }, ({ id }, ctx) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `Review ${id} (${ctx.mcpReq.method})` } },
    ],
  }))
  return server
}
