/** The tools that every client has. */
import * as z from 'zod'
import type { CallToolResult, LoggingLevel, McpServer, Resource } from '../../../../src/index.ts'
import {
  blobResource,
  registerSessionResource,
  sendResourceUpdates,
  subscriptions,
  textResource,
  uriOf,
} from './resources.ts'

export const READS = {
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

export function registerTools(server: McpServer) {
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
      const mimeType = 'application/gzip'
      const resource = { uri: `demo://session/${name}`, name, mimeType } as Resource
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
