/** Servers of other makers, as their documentation builds them. */
import { randomUUID } from 'node:crypto'
import { McpServer as SdkV1Server } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, McpServer as SdkV2Server } from '@modelcontextprotocol/server'
import { McpServer as McpLiteServer, StreamableHttpTransport } from 'mcp-lite'
import * as z from 'zod'

type Handler = (request: Request) => Response | Promise<Response>

const INFO = { name: 'greeter', version: '1.0.0' }
const GREETING = { content: [{ type: 'text' as const, text: 'Hello' }] }

/** The web server in front of each of them: other paths are not found. */
const atEndpoint =
  (handle: Handler): Handler =>
  (request) =>
    new URL(request.url).pathname === '/mcp'
      ? handle(request)
      : Response.json({ error: 'not_found' }, { status: 404 })

function createSdkV1(): SdkV1Server {
  const server = new SdkV1Server(INFO)
  server.registerTool(
    'greet',
    { inputSchema: {}, annotations: { readOnlyHint: true } },
    () => GREETING,
  )
  return server
}

export function sdkV1WithSessions(): Handler {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return atEndpoint(async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : transports.get(id)
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void transports.set(session, transport),
      onsessionclosed: (session) => void transports.delete(session),
    })
    await createSdkV1().connect(transport)
    return transport.handleRequest(request)
  })
}

export function sdkV1WithoutSessions(): Handler {
  return atEndpoint(async (request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await createSdkV1().connect(transport)
    return transport.handleRequest(request)
  })
}

export function sdkV2(): Handler {
  const { fetch: handle } = createMcpHandler(() => {
    const server = new SdkV2Server(INFO)
    server.registerTool(
      'greet',
      { inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      () => GREETING,
    )
    return server
  })
  return atEndpoint((request) => handle(request))
}

export function mcpLite(): Handler {
  const server = new McpLiteServer({
    ...INFO,
    schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType),
  })
  server.tool('greet', {
    inputSchema: z.object({}),
    annotations: { readOnlyHint: true },
    handler: () => GREETING,
  })
  return atEndpoint(new StreamableHttpTransport().bind(server))
}
