/**
 * Follows @modelcontextprotocol/server-github 2025.4.8 (SDK 1.x, zod 3): a `Server` without registrations
 * that answers `tools/list` and `tools/call` itself.
 */
import * as z from 'zod/v3'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  Server,
} from '../../../src/index.ts'

const SearchSchema = z.object({ query: z.string(), page: z.number().optional() })

export const server = new Server(
  { name: 'repositories', version: '0.6.2' },
  { capabilities: { tools: {}, resources: {} } },
)

server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [
    {
      name: 'search_repositories',
      description: 'Searches repositories',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string' } },
        required: ['query'],
      },
    },
    { name: 'ask_first', inputSchema: { type: 'object' } },
  ],
}))

server.setRequestHandler(CallToolRequestSchema, async (request) => {
  try {
    if (!request.params.arguments) throw new Error('Arguments are required')
    switch (request.params.name) {
      case 'search_repositories': {
        const args = SearchSchema.parse(request.params.arguments)
        return { content: [{ type: 'text', text: `found ${args.query}` }] }
      }
      case 'ask_first': {
        const { action } = await server.elicitInput({
          message: 'Continue?',
          requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
        })
        return { content: [{ type: 'text', text: `person chose ${action}` }] }
      }
      default:
        throw new Error(`Unknown tool: ${request.params.name}`)
    }
  } catch (error) {
    if (error instanceof z.ZodError) {
      throw new Error(`Invalid input: ${JSON.stringify(error.errors.map(({ path }) => path))}`)
    }
    throw error
  }
})

server.setRequestHandler(ListResourcesRequestSchema, async () => ({
  resources: [{ uri: 'repo://readme', name: 'readme' }],
}))

server.setRequestHandler(ReadResourceRequestSchema, async (request) => ({
  contents: [{ uri: request.params.uri, mimeType: 'text/plain', text: 'Read me' }],
}))
