/**
 * The server whose sessions the tests open, written with the public API alone. What its tools do is
 * written by the test that calls them: a handler runs in the session's object, which outlives no
 * eviction, while what a test has written stays.
 */
import * as z from 'zod'
import {
  type Context,
  createEdgeway,
  McpServer,
  ResourceTemplate,
  type TelemetryEvent,
  type ToolReturn,
} from '../../src/index.ts'

export type Handler = (ctx: Context) => Promise<ToolReturn<undefined>> | ToolReturn<undefined>

const handlers = new Map<string, Handler>()

/** Keeps a handler, and returns the arguments that name it. */
export function keepHandler(handler: Handler): { readonly script: string } {
  const script = crypto.randomUUID()
  handlers.set(script, handler)
  return { script }
}

function handlerOf(script: string): Handler {
  const handler = handlers.get(script)
  if (handler === undefined) throw new TypeError(`No test has written ${script}`)
  return handler
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'sessions', version: '1.0.0' })
  const inputSchema = z.object({ script: z.string() })
  server.registerTool(
    'echo',
    { inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
    ({ text }) => text,
  )
  const kinds = { run: {}, look: { readOnlyHint: true }, repeat: { idempotentHint: true } }
  for (const [name, annotations] of Object.entries(kinds)) {
    server.registerTool(name, { inputSchema, annotations }, ({ script }, ctx) =>
      handlerOf(script)(ctx),
    )
  }
  const text = async (script: string, ctx: Context) => String(await handlerOf(script)(ctx))
  server.registerPrompt('run', { argsSchema: inputSchema }, ({ script }, ctx) => text(script, ctx))
  server.registerResource('note', 'note://a', {}, () => 'is a')
  server.registerResource(
    'item',
    new ResourceTemplate('item://{+id}', { list: undefined }),
    {},
    () => 'an item',
  )
  server.registerResource(
    'run',
    new ResourceTemplate('script://{script}', { list: undefined }),
    {},
    (_, { script }, ctx) => text(String(script), ctx),
  )
  return server
}

export const sessionServer = createServer()

/** What the objects have told telemetry, of all tests of a file. */
export const objectEvents: TelemetryEvent[] = []

const edgeway = createEdgeway(sessionServer, {
  telemetry: (event) => objectEvents.push(event),
  // A call that is not about streams must be answered as JSON, however busy the machine is.
  limits: { streamAfterMs: 2000 },
})

export const { McpSession } = edgeway.objects
