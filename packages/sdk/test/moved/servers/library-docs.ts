/**
 * Follows @upstash/context7-mcp 4.0.3 (SDK 2.x, zod 4): a server for each request that
 * closes over its key, a schema that rewrites arguments, empty lists, and the name of the client.
 */
import * as z from 'zod'
import { McpServer } from '../../../src/index.ts'

/** Accepts other names of arguments, which models make up. */
function rename(names: Record<string, readonly string[]>) {
  return (value: unknown) => {
    if (!value || typeof value !== 'object') return value
    const args: Record<string, unknown> = { ...value }
    for (const [name, others] of Object.entries(names)) {
      const other = others.find((candidate) => candidate in args)
      if (!(name in args) && other !== undefined) args[name] = args[other]
    }
    return args
  }
}

export function createLibraryServer(context: { apiKey?: string }) {
  const server = new McpServer(
    { name: 'Libraries', version: '1.0.31' },
    {
      // Clients ask for these lists in any case.
      capabilities: { prompts: {}, resources: {} },
      instructions: 'Use this server for documentation.',
    },
  )
  server.registerTool(
    'resolve-library-id',
    {
      title: 'Resolve Library',
      description: 'Finds the id of a library.',
      inputSchema: z.preprocess(
        rename({ query: ['question'] }),
        z.object({
          query: z.string().describe('The question.'),
          libraryName: z.string().describe('The name of the library.'),
        }),
      ),
      annotations: { readOnlyHint: true },
    },
    async ({ query, libraryName }: { query: string; libraryName: string }) => {
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
