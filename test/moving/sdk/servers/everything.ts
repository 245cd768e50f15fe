/**
 * Follows the reference server "everything" of modelcontextprotocol/servers, 2.0.0 (SDK 1.x, zod 4): the
 * same registrations and calls in miniature, without the task tools and the transports.
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
  type RegisteredResource,
  type Resource,
  type ResourceLink,
  ResourceTemplate,
  type Root,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from '../../../../src/sdk/index.ts'

// resources

const KINDS: string[] = ['Text', 'Blob']
const uriOf = (kind: string, id: number) => new URL(`demo://resource/${kind.toLowerCase()}/${id}`)
const textResource = (uri: URL, id: number) => ({
  uri: uri.toString(),
  mimeType: 'text/plain',
  text: `Text ${id}`,
})
const blobResource = (uri: URL, id: number) => ({
  uri: uri.toString(),
  mimeType: 'text/plain',
  blob: btoa(`Blob ${id}`),
})
const completeId: CompleteResourceTemplateCallback = (value: string) =>
  Number.isInteger(Number(value)) && Number(value) > 0 ? [value] : []

function parseId(uri: URL, variables: Record<string, unknown>): number {
  const id = Number(String(variables.id ?? ''))
  if (!Number.isInteger(id) || id < 1) throw new Error(`Unknown resource: ${uri.toString()}`)
  return id
}

function registerResources(server: McpServer) {
  server.registerResource(
    'Dynamic Text Resource',
    new ResourceTemplate('demo://resource/text/{id}', {
      list: undefined,
      complete: { id: completeId },
    }),
    { mimeType: 'text/plain', description: 'A text for an id.' },
    async (uri, variables) => ({ contents: [textResource(uri, parseId(uri, variables))] }),
  )
  server.registerResource(
    'Dynamic Blob Resource',
    new ResourceTemplate('demo://resource/blob/{id}', {
      list: undefined,
      complete: { id: completeId },
    }),
    { mimeType: 'application/octet-stream', description: 'Bytes for an id.' },
    async (uri, variables) => ({ contents: [blobResource(uri, parseId(uri, variables))] }),
  )
  for (const name of ['features.md', 'how it works.md']) {
    const uri = `demo://resource/static/${encodeURIComponent(name)}`
    server.registerResource(name, uri, { mimeType: 'text/markdown' }, async (url) => ({
      contents: [{ uri: url.toString(), mimeType: 'text/markdown', text: `# ${name}` }],
    }))
  }
}

const sessionResources = new Map<string, RegisteredResource>()

function registerSessionResource(
  server: McpServer,
  resource: Resource,
  payload: string,
): ResourceLink {
  const { uri, name, mimeType, description, title, annotations, icons, _meta } = resource
  sessionResources.get(uri)?.remove()
  const config = { mimeType, description, title, annotations, icons, _meta }
  const registered = server.registerResource(name, uri, config, async () => ({
    contents: [{ uri, mimeType, blob: payload }],
  }))
  sessionResources.set(uri, registered)
  return { type: 'resource_link', ...resource }
}

const subscriptions = new Map<string, Set<string | undefined>>()

function setSubscriptionHandlers(server: McpServer) {
  server.server.setRequestHandler(SubscribeRequestSchema, async (request, extra) => {
    const { uri } = request.params
    const sessionId = extra.sessionId as string
    await server.sendLoggingMessage({ level: 'info', data: `Subscribe ${uri}` }, sessionId)
    const subscribers = subscriptions.get(uri) ?? new Set<string>()
    subscribers.add(sessionId)
    subscriptions.set(uri, subscribers)
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, async (request, extra) => {
    subscriptions.get(request.params.uri)?.delete(extra.sessionId)
    return {}
  })
}

async function sendResourceUpdates(server: McpServer, sessionId: string | undefined) {
  for (const [uri, subscribers] of subscriptions) {
    if (!subscribers.has(sessionId)) continue
    await server.server.notification({ method: 'notifications/resources/updated', params: { uri } })
  }
}

// prompts

const kindArgument = completable(z.string().describe('Type of resource'), (value: string) =>
  KINDS.filter((kind) => kind.startsWith(value)),
)

function registerPrompts(server: McpServer) {
  const say = (text: string) => ({
    role: 'user' as const,
    content: { type: 'text' as const, text },
  })
  server.registerPrompt('simple-prompt', { title: 'Simple', description: 'No arguments' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Simple.' } }],
  }))
  server.registerPrompt(
    'args-prompt',
    {
      title: 'Arguments',
      argsSchema: { city: z.string().describe('City'), state: z.string().optional() },
    },
    (args) => ({ messages: [say(`${args?.city}${args?.state ? `, ${args?.state}` : ''}?`)] }),
  )
  server.registerPrompt(
    'completable-prompt',
    {
      argsSchema: {
        department: completable(z.string().describe('Department'), (value) =>
          ['Engineering', 'Sales'].filter((name) => name.startsWith(value)),
        ),
        name: completable(z.string(), (value, context) => {
          const department = context?.arguments?.department
          return department === 'Sales' ? ['David'].filter((name) => name.startsWith(value)) : []
        }),
      },
    },
    ({ department, name }) => ({ messages: [say(`${name} of ${department}`)] }),
  )
  server.registerPrompt(
    'resource-prompt',
    { argsSchema: { kind: kindArgument, id: completable(z.string(), completeId) } },
    (args) => {
      const { kind, id } = args
      if (!KINDS.includes(kind)) throw new Error(`Invalid kind: ${args?.kind}.`)
      const uri = uriOf(kind, Number(id))
      const resource =
        kind === 'Text' ? textResource(uri, Number(id)) : blobResource(uri, Number(id))
      return {
        messages: [
          say(`Look at ${kind} ${id}`),
          { role: 'user', content: { type: 'resource', resource: resource } },
        ],
      }
    },
  )
}

// tools

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const EchoSchema = z.object({ message: z.string().describe('Message to echo') })
const echo = { title: 'Echo', inputSchema: EchoSchema, annotations: READS }

const LinksSchema = z.object({ count: z.number().min(1).max(10).default(3) })
const ReferenceSchema = z.object({
  kind: z.enum(['Text', 'Blob']).default('Text'),
  id: z.number().default(1).describe('Id of the resource'),
})
const AnnotatedSchema = z.object({
  messageType: z.enum(['error', 'success', 'debug']),
  includeImage: z.boolean().default(false),
})
const LongSchema = z.object({
  duration: z.number().default(10),
  steps: z.number().default(5),
})

function registerTools(server: McpServer) {
  server.registerTool('echo', echo, async (args): Promise<CallToolResult> => {
    const validated = EchoSchema.parse(args)
    return { content: [{ type: 'text', text: `Echo: ${validated.message}` }] }
  })
  server.registerTool(
    'get-annotated-message',
    { inputSchema: AnnotatedSchema, annotations: READS },
    async (args): Promise<CallToolResult> => {
      const { messageType, includeImage } = args
      const content: CallToolResult['content'] = []
      if (messageType === 'error') {
        content.push({
          type: 'text',
          text: 'Error: failed',
          annotations: { priority: 1.0, audience: ['user', 'assistant'] },
        })
      }
      if (includeImage) content.push({ type: 'image', data: 'AA==', mimeType: 'image/png' })
      return { content }
    },
  )
  server.registerTool(
    'get-env',
    { title: 'Environment', inputSchema: {}, annotations: READS },
    async (_args): Promise<CallToolResult> => ({ content: [{ type: 'text', text: '{}' }] }),
  )
  server.registerTool(
    'get-resource-links',
    { inputSchema: LinksSchema },
    async (args): Promise<CallToolResult> => {
      const { count } = LinksSchema.parse(args)
      const content: CallToolResult['content'] = []
      content.push({ type: 'text', text: `${count} links:` })
      for (let id = 1; id <= count; id++) {
        const resource = textResource(uriOf('Text', id), id)
        content.push({
          type: 'resource_link',
          uri: resource.uri,
          name: `Text Resource ${id}`,
          mimeType: resource.mimeType,
        })
      }
      return { content }
    },
  )
  server.registerTool(
    'get-resource-reference',
    { inputSchema: ReferenceSchema },
    async (args): Promise<CallToolResult> => {
      const { kind } = args
      const id = Number(args?.id)
      if (!Number.isInteger(id) || id < 1) throw new Error(`Invalid id: ${args?.id}.`)
      const uri = uriOf(kind, id)
      const resource = kind === 'Text' ? textResource(uri, id) : blobResource(uri, id)
      return {
        content: [
          { type: 'text', text: `Resource ${id}:` },
          { type: 'resource', resource: resource },
        ],
      }
    },
  )
  server.registerTool(
    'get-structured-content',
    {
      inputSchema: { location: z.enum(['New York', 'Chicago']).describe('Choose city') },
      outputSchema: z.object({ temperature: z.number(), conditions: z.string() }),
    },
    async (args): Promise<CallToolResult> => {
      let weather: { temperature: number; conditions: string } | undefined
      switch (args.location) {
        case 'New York':
          weather = { temperature: 33, conditions: 'Cloudy' }
          break
        case 'Chicago':
          weather = { temperature: 36, conditions: 'Rain' }
          break
      }
      return {
        content: [{ type: 'text', text: JSON.stringify(weather) }],
        structuredContent: weather,
      }
    },
  )
  server.registerTool(
    'gzip-file-as-resource',
    { inputSchema: z.object({ name: z.string().default('a.gz'), data: z.url() }) },
    async (args): Promise<CallToolResult> => {
      const { name, data } = args
      const resource = {
        uri: `demo://session/${name} as Resource`,
        name,
        mimeType: 'application/gzip',
      }
      return { content: [registerSessionResource(server, resource, btoa(data))] }
    },
  )
  server.registerTool(
    'toggle-simulated-logging',
    { inputSchema: {} },
    async (_args, extra): Promise<CallToolResult> => {
      const messages: { level: LoggingLevel; data: string }[] = [
        { level: 'warning', data: `Warning for ${extra?.sessionId ? 'a session' : 'nobody'}` },
      ]
      for (const message of messages) await server.sendLoggingMessage(message, extra.sessionId)
      return { content: [{ type: 'text', text: 'Started' }] }
    },
  )
  server.registerTool(
    'toggle-subscriber-updates',
    { inputSchema: {} },
    async (_args, extra): Promise<CallToolResult> => {
      await sendResourceUpdates(server, extra?.sessionId)
      return { content: [{ type: 'text', text: `${subscriptions.size} subscriptions` }] }
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
      return { content: [{ type: 'text', text: `Completed ${steps} steps.` }] }
    },
  )
}

// tools for clients that can answer, registered when the client is known

const roots: Map<string | undefined, Root[]> = new Map()

async function syncRoots(server: McpServer, sessionId?: string) {
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

function registerElicitation(server: McpServer) {
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

function registerSampling(server: McpServer) {
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

function registerRoots(server: McpServer) {
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
  registerResources(server)
  registerPrompts(server)
  setSubscriptionHandlers(server)
  server.server.oninitialized = async () => {
    registerRoots(server)
    registerElicitation(server)
    registerSampling(server)
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
