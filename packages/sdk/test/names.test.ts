/** Names and types of the SDK that servers of other makers import. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openApp } from '../../../test/support/test-app.ts'
import {
  BAGGAGE_META_KEY,
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type CreateMcpHandlerOptions,
  type InputRequiredResult,
  isCallToolResult,
  type JSONObject,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type ListPromptsResult,
  type ListResourceTemplatesResult,
  ListToolsRequestSchema,
  type ListToolsResult,
  LOG_LEVEL_META_KEY,
  type LoggingMessageNotification,
  McpServer,
  PROTOCOL_VERSION_META_KEY,
  RELATED_TASK_META_KEY,
  SERVER_INFO_META_KEY,
  Server,
  type StandardSchemaWithJSON,
  SUBSCRIPTION_ID_META_KEY,
  type Tool,
  type ToolCallback,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from '../src/index.ts'
import { callText, listed } from './sdk-app.ts'

const say = (text: unknown) => ({ content: [{ type: 'text' as const, text: String(text) }] })

describe('edgeway/sdk', () => {
  it.each([
    [true, { content: [] }],
    [true, { content: [{ type: 'text', text: 'a' }], isError: true, structuredContent: {} }],
    [false, { structuredContent: { a: 1 } }],
    [false, { content: [{ type: 'text' }] }],
    [false, { content: {} }],
    [false, { content: [], isError: 'no' }],
    [false, [{ type: 'text', text: 'a' }]],
    [false, 'a'],
    [false, undefined],
  ])('says %s that %j is the result of a tool', (expected, value) => {
    expect(isCallToolResult(value)).toBe(expected)
  })

  it('has the reserved keys of _meta under the names of the SDK', () => {
    expect([
      PROTOCOL_VERSION_META_KEY,
      CLIENT_INFO_META_KEY,
      CLIENT_CAPABILITIES_META_KEY,
      LOG_LEVEL_META_KEY,
      SERVER_INFO_META_KEY,
      SUBSCRIPTION_ID_META_KEY,
      RELATED_TASK_META_KEY,
      TRACEPARENT_META_KEY,
      TRACESTATE_META_KEY,
      BAGGAGE_META_KEY,
    ]).toEqual([
      'io.modelcontextprotocol/protocolVersion',
      'io.modelcontextprotocol/clientInfo',
      'io.modelcontextprotocol/clientCapabilities',
      'io.modelcontextprotocol/logLevel',
      'io.modelcontextprotocol/serverInfo',
      'io.modelcontextprotocol/subscriptionId',
      'io.modelcontextprotocol/related-task',
      'traceparent',
      'tracestate',
      'baggage',
    ])
  })

  it('has the types of messages and lists', () => {
    const payload: JSONObject = { list: [1, null, { deep: 'x' }] }
    const request: JSONRPCRequest = { jsonrpc: '2.0', id: 1, method: 'x', params: { payload } }
    const failed: JSONRPCErrorResponse = { jsonrpc: '2.0', id: 1, error: { code: -1, message: '' } }
    const responses: JSONRPCResponse[] = [failed, { jsonrpc: '2.0', id: 1, result: {} }]
    const log: LoggingMessageNotification = {
      method: 'notifications/message',
      params: { level: 'info', data: payload },
    }
    const lists: [ListToolsResult, ListPromptsResult, ListResourceTemplatesResult] = [
      { tools: [], nextCursor: 'c' },
      { prompts: [] },
      { resourceTemplates: [] },
    ]
    const handler: Omit<CreateMcpHandlerOptions, 'authContext' | 'legacy'> = { route: '/mcp' }
    expect([request, responses, log, lists, handler]).toHaveLength(5)
  })

  it('has a type of tools to which a JSON Schema of another library can be cast', async () => {
    // The type of JSON Schema draft-07 in @types/json-schema has a member for each keyword.
    interface OtherSchema {
      type?: string | string[]
      properties?: { [name: string]: OtherSchema | boolean }
      required?: string[]
      enum?: (string | number | boolean | null)[]
      $defs?: { [name: string]: OtherSchema }
    }
    const schema: OtherSchema & { type: 'object' } = {
      type: 'object',
      properties: { who: { type: 'string' } },
    }
    const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
    const tools: Tool[] = []
    tools.push({ name: 'hello', inputSchema: schema as Tool['inputSchema'] })
    server.setRequestHandler(ListToolsRequestSchema, (): ListToolsResult => ({ tools }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const asked: CallToolRequest['params'] = params
      return say(asked.arguments?.who)
    })
    const app = openApp(server)
    expect(await listed(app, 'tools')).toEqual([{ name: 'hello', inputSchema: schema }])
    expect(await callText(app, 'hello', { who: 'ada' })).toBe('ada')
  })

  it('has a type of schemas for functions that register tools of any schema', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    const called: string[] = []
    function register<
      OutputSchema extends StandardSchemaWithJSON = StandardSchemaWithJSON,
      InputSchema extends StandardSchemaWithJSON | undefined = undefined,
    >(
      name: string,
      config: { inputSchema?: InputSchema; outputSchema?: OutputSchema },
      callback: ToolCallback<InputSchema>,
    ) {
      const invoke = callback as unknown as (...args: unknown[]) => unknown
      const counted = (async (...args: unknown[]) => {
        called.push(name)
        return invoke(...args)
      }) as unknown as ToolCallback<InputSchema>
      return server.registerTool<OutputSchema, InputSchema>(name, config, counted)
    }
    const bare: ToolCallback<z.ZodObject<z.ZodRawShape>> = async (
      args,
    ): Promise<CallToolResult | InputRequiredResult> => say(args.text)
    register('typed', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) =>
      say(text.toUpperCase()),
    )
    register(
      'erased',
      { inputSchema: z.object({ text: z.string() }) as z.ZodObject<z.ZodRawShape> },
      bare,
    )
    const app = openApp(server)
    expect(await callText(app, 'typed', { text: 'a' })).toBe('A')
    expect(await callText(app, 'erased', { text: 'a' })).toBe('a')
    expect(called).toEqual(['typed', 'erased'])
  })
})
