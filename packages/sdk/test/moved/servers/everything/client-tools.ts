/** The tools for clients that can answer, registered when the client is known. */
import * as z from 'zod'
import {
  type CallToolResult,
  type CreateMessageRequest,
  CreateMessageResultSchema,
  type ElicitRequestURLParams,
  ElicitResultSchema,
  type McpServer,
  type Root,
  RootsListChangedNotificationSchema,
  UrlElicitationRequiredError,
} from '../../../../src/index.ts'
import { READS } from './tools.ts'

const roots: Map<string | undefined, Root[]> = new Map()

export async function syncRoots(server: McpServer, sessionId?: string) {
  const capabilities = server.server.getClientCapabilities() || {}
  if (capabilities?.roots === undefined) return undefined
  const requestRoots = async () => {
    try {
      const response = await server.server.listRoots()
      if (response && 'roots' in response) {
        roots.set(sessionId, response.roots)
        await server.sendLoggingMessage(
          { level: 'info', logger: 'everything-server', data: `${response?.roots?.length} roots` },
          sessionId,
        )
      }
    } catch {
      // The client could not be asked.
    }
  }
  if (!roots.has(sessionId)) {
    server.server.setNotificationHandler(RootsListChangedNotificationSchema, requestRoots)
    await requestRoots()
  }
  return roots.get(sessionId)
}

export function registerElicitation(server: McpServer) {
  const capabilities = server.server.getClientCapabilities() || {}
  if (capabilities.elicitation === undefined) return
  server.registerTool(
    'trigger-elicitation-request',
    { inputSchema: {} },
    async (_args, extra): Promise<CallToolResult> => {
      const result = await extra.sendRequest(
        {
          method: 'elicitation/create',
          params: {
            message: 'Please provide inputs:',
            requestedSchema: {
              type: 'object',
              properties: {
                name: { title: 'String', type: 'string', description: 'Your full name' },
                check: { type: 'boolean', default: false },
                email: { type: 'string', format: 'email' },
                integer: { type: 'integer', minimum: 1, maximum: 100, default: 42 },
                one: { type: 'string', enum: ['Monica', 'Joey'], default: 'Monica' },
                many: {
                  type: 'array',
                  minItems: 1,
                  items: { type: 'string', enum: ['Guitar', 'Piano'] },
                },
                titled: {
                  type: 'string',
                  oneOf: [
                    { const: 'hero-1', title: 'Superman' },
                    { const: 'hero-2', title: 'Green Lantern' },
                  ],
                },
                pets: {
                  type: 'string',
                  enum: ['pet-1', 'pet-2'],
                  enumNames: ['Cats', 'Dogs'],
                },
              },
              required: ['name'],
            },
          },
        },
        ElicitResultSchema,
        { timeout: 10 * 60 * 1000 },
      )
      const content: CallToolResult['content'] = []
      if (result.action === 'accept' && result.content) {
        const userData = result.content
        const lines: string[] = []
        if (userData.name) lines.push(`- Name: ${userData.name}`)
        if (userData.check !== undefined) lines.push(`- Agreed: ${userData.check}`)
        content.push({ type: 'text', text: `User inputs:\n${lines.join('\n')}` })
      } else if (result.action === 'decline') {
        content.push({ type: 'text', text: 'User declined.' })
      }
      return { content }
    },
  )
  if (capabilities.elicitation.url === undefined) return
  const issued = new Set<string>()
  server.registerTool(
    'trigger-url-elicitation',
    {
      inputSchema: z.object({
        url: z.url(),
        message: z.string().default('Open the link.'),
        elicitationId: z.string().optional(),
        errorPath: z.boolean().default(false),
      }),
    },
    async (args, extra): Promise<CallToolResult> => {
      const elicitationId = args.elicitationId ?? 'an-id'
      const params: ElicitRequestURLParams = {
        mode: 'url',
        url: args.url,
        message: args.message,
        elicitationId,
      }
      if (args.errorPath && !issued.has(args.url)) {
        issued.add(args.url)
        throw new UrlElicitationRequiredError([params], 'Open the link first.')
      }
      const result = await extra.sendRequest(
        { method: 'elicitation/create', params },
        ElicitResultSchema,
      )
      return { content: [{ type: 'text', text: `URL ${result.action}` }] }
    },
  )
}

export function registerSampling(server: McpServer) {
  const capabilities = server.server.getClientCapabilities() || {}
  const tasks = capabilities.tasks as
    | { requests?: { sampling?: { createMessage?: object } } }
    | undefined
  if (tasks?.requests?.sampling?.createMessage !== undefined) throw new Error('No task tools here')
  if (capabilities.sampling === undefined) return
  server.registerTool(
    'trigger-sampling-request',
    { inputSchema: z.object({ prompt: z.string(), maxTokens: z.number().default(100) }) },
    async (args, extra): Promise<CallToolResult> => {
      const request: CreateMessageRequest = {
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: `Context: ${args.prompt}` } }],
          systemPrompt: 'You are a helpful test server.',
          maxTokens: args.maxTokens,
          temperature: 0.7,
        },
      }
      const result = await extra.sendRequest(request, CreateMessageResultSchema)
      return { content: [{ type: 'text', text: JSON.stringify(result) }] }
    },
  )
}

export function registerRoots(server: McpServer) {
  const capabilities = server.server.getClientCapabilities() || {}
  if (capabilities.roots === undefined) return
  server.registerTool(
    'get-roots-list',
    { inputSchema: {}, annotations: READS },
    async (_args, extra): Promise<CallToolResult> => {
      const current = await syncRoots(server, extra.sessionId)
      const list = current?.map(
        (root, index) => `${index + 1}. ${root.name || 'Unnamed'} ${root.uri}`,
      )
      return { content: [{ type: 'text', text: list?.join('\n') ?? 'No roots' }] }
    },
  )
}
