/**
 * Follows @sentry/mcp-server 0.12 and later (SDK 1.x, zod 3): a list of tools whose errors become results, prompts
 * with arguments, templates with lists and completions, and `extra` in every handler.
 */
import * as z from 'zod/v3'
import {
  type CallToolResult,
  completable,
  ErrorCode,
  McpError,
  McpServer,
  type RequestHandlerExtra,
  ResourceTemplate,
  type ServerNotification,
  type ServerRequest,
} from '../../../src/index.ts'

class UserInputError extends Error {}

const ORGANIZATIONS = ['acme', 'apex', 'zen']

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

interface Tool {
  description: string
  schema: z.ZodRawShape
  handler: (args: never, extra: Extra) => Promise<string>
}

const TOOLS: Record<string, Tool> = {
  whoami: {
    description: 'Who is calling',
    schema: {},
    handler: async (_: object, extra: Extra) =>
      `${extra.authInfo?.clientId ?? 'anonymous'} ${Object.keys(extra.requestInfo?.headers ?? {}).includes('authorization')}`,
  },
  find_issues: {
    description: 'Finds issues',
    schema: {
      organization: z.string().describe('The organization'),
      query: z.string().optional(),
      sort: z.enum(['date', 'freq']).default('date'),
    },
    handler: async (
      { organization, sort }: { organization: string; sort: string },
      extra: Extra,
    ) => {
      if (!ORGANIZATIONS.includes(organization))
        throw new UserInputError(`No organization ${organization}`)
      if (sort === 'freq') throw new McpError(ErrorCode.InvalidRequest, 'Sorting is not possible')
      await extra.sendNotification({
        method: 'notifications/message',
        params: { level: 'info', logger: 'issues', data: 'searching' },
      })
      return `issues of ${organization} by ${sort}`
    },
  },
}

export function buildIssuesServer() {
  const server = new McpServer({ name: 'Issues', version: '0.12.0' })
  for (const [name, tool] of Object.entries(TOOLS)) {
    server.tool(
      name,
      tool.description,
      tool.schema,
      async (args, extra): Promise<CallToolResult> => {
        try {
          const text = await tool.handler(args as never, extra)
          return { content: [{ type: 'text', text }] }
        } catch (error) {
          if (!(error instanceof UserInputError)) throw error
          return {
            content: [{ type: 'text', text: `**Input Error** ${error.message}` }],
            isError: true,
          }
        }
      },
    )
  }
  server.prompt(
    'find_errors_in_file',
    'Finds errors in a file',
    {
      organization: completable(z.string(), (value) =>
        ORGANIZATIONS.filter((name) => name.startsWith(value)),
      ),
      filename: z.string().optional(),
    },
    async ({ organization, filename }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Errors in ${filename} of ${organization}` },
        },
      ],
    }),
  )
  server.resource('docs', 'issues://docs', { mimeType: 'text/plain' }, async (uri, extra) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `docs ${typeof extra.requestId}` }],
  }))
  server.resource(
    'organization',
    new ResourceTemplate('issues://organizations/{slug}', {
      list: async () => ({
        resources: ORGANIZATIONS.map((slug) => ({
          uri: `issues://organizations/${slug}`,
          name: slug,
        })),
      }),
      complete: { slug: async (value) => ORGANIZATIONS.filter((name) => name.startsWith(value)) },
    }),
    async (uri, { slug }) => {
      if (!ORGANIZATIONS.includes(String(slug))) {
        throw new McpError(ErrorCode.InvalidParams, `No organization ${slug}`, { slug })
      }
      return { contents: [{ uri: uri.href, text: `organization ${slug}` }] }
    },
  )
  return server
}
