/**
 * Questions, with the calls of the agents of `cloudflare/agents` that elicit: `this.elicitInput()` with the
 * id of the request, and `server.server.elicitInput()`.
 */
import { z } from 'zod'
import { McpServer } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

const NAME_FORM = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const, description: 'Your name' } },
  required: ['name'],
}

export class Greeter extends McpAgent {
  server = new McpServer(
    { name: 'Greeter', version: '1.0.0' },
    { capabilities: { logging: {}, tools: { listChanged: true } } },
  )

  async init() {
    this.server.tool('greet', 'Asks for a name', {}, async (_args, extra) => {
      const result = await this.elicitInput(
        { message: 'What is your name?', requestedSchema: NAME_FORM },
        { relatedRequestId: extra.requestId },
      )
      if (result.action === 'accept' && result.content?.name) {
        return { content: [{ type: 'text', text: `Hello, ${result.content.name}` }] }
      }
      return { content: [{ type: 'text', text: 'Nobody to greet' }] }
    })

    this.server.registerTool(
      'confirm',
      { description: 'Asks before it acts', inputSchema: { what: z.string() } },
      async ({ what }) => {
        const { action } = await this.server.server.elicitInput({
          message: `Really ${what}?`,
          requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
        })
        return { content: [{ type: 'text', text: `${what}: ${action}` }] }
      },
    )

    this.server.registerTool('session', { description: 'Names the session' }, async () => ({
      content: [{ type: 'text', text: `${this.getTransportType()} ${this.getSessionId()}` }],
    }))
  }
}

export const greeterWorker = Greeter.serve('/mcp', { binding: 'GREETER', transport: 'auto' })
