/**
 * Follows @upstash/context7-mcp 1.0 (SDK 1.x, zod 4): a server for each request that closes over its key,
 * with `registerTool`, and with the name of the client.
 */
import * as z from 'zod'
import { McpServer } from '../../../../src/sdk/index.ts'

export function createLibraryServer(context: { apiKey?: string }) {
  const server = new McpServer(
    { name: 'Libraries', version: '1.0.31' },
    { instructions: 'Use this server for documentation.' },
  )
  server.registerTool(
    'resolve-library-id',
    {
      title: 'Resolve Library',
      description: 'Finds the id of a library.',
      inputSchema: {
        query: z.string().describe('The question.'),
        libraryName: z.string().describe('The name of the library.'),
      },
      annotations: { readOnlyHint: true },
    },
    async ({ query, libraryName }) => {
      const client = server.server.getClientVersion()
      if (!context.apiKey) throw new Error('An API key is needed.')
      return {
        content: [
          {
            type: 'text',
            text: `/${libraryName}/docs for "${query}" (${client?.name ?? 'unknown'}, ${context.apiKey})`,
          },
        ],
      }
    },
  )
  return server
}
