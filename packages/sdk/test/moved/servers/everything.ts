/**
 * Follows the reference server "everything" of modelcontextprotocol/servers, 2.0.0 (SDK 1.x, zod 4): each way in which it
 * registers and calls, once. Tools for what a client can answer are registered when the client is known.
 */
import * as z from 'zod'
import {
  type CallToolResult,
  type CompleteResourceTemplateCallback,
  type CreateMessageRequest,
  CreateMessageResultSchema,
  completable,
  type ElicitRequestURLParams,
  ElicitResultSchema,
  type LoggingLevel,
  McpServer,
  type Resource,
  ResourceTemplate,
  type Root,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from '../../../src/index.ts'

const READS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

const EchoSchema = z.object({ message: z.string().describe('Message to echo') })
const echo = { title: 'Echo', inputSchema: EchoSchema, annotations: READS }
const LongSchema = z.object({
  duration: z.number().default(10),
  steps: z.number().default(5),
})

const say = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

function registerTools(server: McpServer) {
  server.registerTool('echo', echo, async (args): Promise<CallToolResult> => {
    const validated = EchoSchema.parse(args)
    return say(`Echo: ${validated.message}`)
  })
  server.registerTool(
    'get-structured-content',
    {
      inputSchema: { location: z.enum(['New York', 'Chicago']).describe('Choose city') },
      outputSchema: z.object({ temperature: z.number(), conditions: z.string() }),
    },
    async (args): Promise<CallToolResult> => {
      const weather = { temperature: args.location === 'Chicago' ? 36 : 33, conditions: 'Rain' }
      return { ...say(JSON.stringify(weather)), structuredContent: weather }
    },
  )
  server.registerTool(
    'gzip-file-as-resource',
    { inputSchema: z.object({ name: z.string().default('a.gz'), data: z.url() }) },
    async (args): Promise<CallToolResult> => {
      const { name, data } = args
      const resource = { uri: `demo://session/${name}`, name, mimeType: 'x/y' } as Resource
      const { uri, mimeType } = resource
      server.registerResource(name, uri, { mimeType }, async () => ({
        contents: [{ uri, mimeType, blob: btoa(data) }],
      }))
      return { content: [{ type: 'resource_link', ...resource }] }
    },
  )
  server.registerTool(
    'toggle-simulated-logging',
    { inputSchema: {} },
    async (_args, extra): Promise<CallToolResult> => {
      const message: { level: LoggingLevel; data: string } = {
        level: 'warning',
        data: `Warning for ${extra?.sessionId ? 'a session' : 'a request'}`,
      }
      await server.sendLoggingMessage(message, extra.sessionId)
      return say('Started')
    },
  )
  server.registerTool(
    'trigger-long-running-operation',
    { inputSchema: LongSchema },
    async (args, extra): Promise<CallToolResult> => {
      const { duration, steps } = LongSchema.parse(args)
      const progressToken = extra._meta?.progressToken
      for (let i = 1; i < steps + 1; i++) {
        await new Promise((resolve) => setTimeout(resolve, (duration / steps) * 1000))
        if (progressToken !== undefined) {
          await server.server.notification(
            {
              method: 'notifications/progress',
              params: { progress: i, total: steps, progressToken },
            },
            { relatedRequestId: extra.requestId },
          )
        }
      }
      return say(`Completed ${steps} steps.`)
    },
  )
}

const completeId: CompleteResourceTemplateCallback = (value: string) =>
  Number.isInteger(Number(value)) && Number(value) > 0 ? [value] : []

function registerResourcesAndPrompts(server: McpServer) {
  server.registerResource(
    'Dynamic Text Resource',
    new ResourceTemplate('demo://resource/text/{id}', {
      list: undefined,
      complete: { id: completeId },
    }),
    { mimeType: 'text/plain', description: 'A text for an id.' },
    async (uri, variables) => ({
      contents: [{ uri: uri.toString(), mimeType: 'text/plain', text: `Text ${variables.id}` }],
    }),
  )
  const name = 'how it works.md'
  const uri = `demo://resource/static/${encodeURIComponent(name)}`
  server.registerResource(name, uri, { mimeType: 'text/markdown' }, async (url) => ({
    contents: [{ uri: url.toString(), mimeType: 'text/markdown', text: `# ${name}` }],
  }))
  server.registerPrompt('simple-prompt', { title: 'Simple', description: 'No arguments' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Simple.' } }],
  }))
  server.registerPrompt(
    'completable-prompt',
    {
      argsSchema: {
        department: completable(z.string().describe('Department'), (value) =>
          ['Engineering', 'Sales'].filter((each) => each.startsWith(value)),
        ),
        name: completable(z.string(), (value, context) => {
          const department = context?.arguments?.department
          return department === 'Sales' ? ['David'].filter((each) => each.startsWith(value)) : []
        }),
      },
    },
    (args) => {
      if (args.name === 'absent') throw new Error(`Invalid name: ${args?.name}.`)
      const text = `${args.name} of ${args.department}`
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
  )
}

const subscriptions = new Map<string, Set<string | undefined>>()

function setSubscriptionHandlers(server: McpServer) {
  server.server.setRequestHandler(SubscribeRequestSchema, async (request, extra) => {
    const { uri } = request.params
    const sessionId = extra.sessionId as string
    await server.sendLoggingMessage({ level: 'info', data: `Subscribe ${uri}` }, sessionId)
    subscriptions.set(uri, (subscriptions.get(uri) ?? new Set<string>()).add(sessionId))
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, async (request, extra) => {
    subscriptions.get(request.params.uri)?.delete(extra.sessionId)
    return {}
  })
  server.registerTool(
    'toggle-subscriber-updates',
    { inputSchema: {} },
    async (_args, extra): Promise<CallToolResult> => {
      for (const [uri, subscribers] of subscriptions) {
        if (!subscribers.has(extra?.sessionId)) continue
        const method = 'notifications/resources/updated'
        await server.server.notification({ method, params: { uri } })
      }
      return say(`${subscriptions.size} subscriptions`)
    },
  )
}

const roots: Map<string | undefined, Root[]> = new Map()

async function syncRoots(server: McpServer, sessionId?: string) {
  const capabilities = server.server.getClientCapabilities() || {}
  if (capabilities?.roots === undefined) return undefined
  const requestRoots = async () => {
    try {
      const response = await server.server.listRoots()
      if (response && 'roots' in response) roots.set(sessionId, response.roots)
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

const FORM = {
  type: 'object' as const,
  properties: {
    name: { title: 'String', type: 'string' as const, description: 'Your full name' },
    check: { type: 'boolean' as const, default: false },
    email: { type: 'string' as const, format: 'email' as const },
    integer: { type: 'integer' as const, minimum: 1, maximum: 100, default: 42 },
    one: { type: 'string' as const, enum: ['Monica', 'Joey'], default: 'Monica' },
    many: {
      type: 'array' as const,
      minItems: 1,
      items: { type: 'string' as const, enum: ['Guitar', 'Piano'] },
    },
    titled: { type: 'string' as const, oneOf: [{ const: 'hero-1', title: 'Superman' }] },
    pets: { type: 'string' as const, enum: ['pet-1', 'pet-2'], enumNames: ['Cats', 'Dogs'] },
  },
  required: ['name'],
}

function registerClientTools(server: McpServer) {
  const capabilities = server.server.getClientCapabilities() || {}
  if (capabilities.roots !== undefined) {
    server.registerTool(
      'get-roots-list',
      { inputSchema: {}, annotations: READS },
      async (_args, extra): Promise<CallToolResult> => {
        const current = await syncRoots(server, extra.sessionId)
        return say(current?.map(({ name, uri }) => `${name || 'Unnamed'} ${uri}`).join() ?? 'none')
      },
    )
  }
  if (capabilities.elicitation !== undefined) {
    server.registerTool(
      'trigger-elicitation-request',
      { inputSchema: {} },
      async (_args, extra): Promise<CallToolResult> => {
        const params = { message: 'Please provide inputs:', requestedSchema: FORM }
        const result = await extra.sendRequest(
          { method: 'elicitation/create', params },
          ElicitResultSchema,
          { timeout: 10 * 60 * 1000 },
        )
        return say(`${result.action} ${result.content?.name} ${result.content?.check}`)
      },
    )
  }
  const issued = new Set<string>()
  server.registerTool(
    'trigger-url-elicitation',
    { inputSchema: z.object({ url: z.url(), errorPath: z.boolean().default(false) }) },
    async (args, extra): Promise<CallToolResult> => {
      const params: ElicitRequestURLParams = {
        mode: 'url',
        url: args.url,
        message: 'Open the link.',
        elicitationId: 'an-id',
      }
      if (args.errorPath && !issued.has(args.url)) {
        issued.add(args.url)
        throw new UrlElicitationRequiredError([params], 'Open the link first.')
      }
      const request = { method: 'elicitation/create' as const, params }
      const result = await extra.sendRequest(request, ElicitResultSchema)
      return say(`URL ${result.action}`)
    },
  )
  server.registerTool(
    'trigger-sampling-request',
    { inputSchema: z.object({ prompt: z.string(), maxTokens: z.number().default(100) }) },
    async (args, extra): Promise<CallToolResult> => {
      const request: CreateMessageRequest = {
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: `Context: ${args.prompt}` } }],
          maxTokens: args.maxTokens,
        },
      }
      const result = await extra.sendRequest(request, CreateMessageResultSchema)
      return say(JSON.stringify(result))
    },
  )
}

export const createServer: () => {
  server: McpServer
  cleanup: (sessionId?: string) => void
} = () => {
  let initializeTimeout: ReturnType<typeof setTimeout> | null = null
  const server = new McpServer(
    { name: 'mcp-servers/everything', title: 'Everything', version: '2.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      instructions: 'Try everything.',
    },
  )
  registerTools(server)
  registerResourcesAndPrompts(server)
  setSubscriptionHandlers(server)
  server.server.oninitialized = async () => {
    registerClientTools(server)
    const sessionId = server.server.transport?.sessionId
    initializeTimeout = setTimeout(() => syncRoots(server, sessionId), 350)
  }
  return {
    server,
    cleanup: () => {
      if (initializeTimeout) clearTimeout(initializeTimeout)
    },
  }
}
