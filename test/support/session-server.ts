/**
 * The server of the session tests. The test that calls a tool supplies its handler. Handlers are stored
 * here, outside the session object, because they must survive the eviction of the object.
 */

import * as z from 'zod'
import { type McpServer, ResourceTemplate } from '../../src/index.ts'
import type { ToolReturn } from '../../src/server/tool.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { registerTake, withFiles } from './features/files.ts'
import { createFullEdgeway } from './full-app.ts'
import type { FullContext } from './full-server.ts'
import { FullServer } from './full-server.ts'
import { registerSamples } from './sample-server.ts'

export type Handler = (ctx: FullContext) => Promise<ToolReturn<undefined>> | ToolReturn<undefined>

const handlers = new Map<string, Handler>()

/** Stores a handler and returns the arguments that refer to it. */
export function keepHandler(handler: Handler): { readonly script: string } {
  const script = crypto.randomUUID()
  handlers.set(script, handler)
  return { script }
}

export function handlerOf(script: string): Handler {
  const handler = handlers.get(script)
  if (handler === undefined) throw new TypeError(`There is no handler ${script}`)
  return handler
}

function createServer(): FullServer {
  const server = new FullServer(
    { name: 'sessions', version: '1.0.0', title: 'Sessions' },
    { instructions: 'Run it well.' },
  )
  const inputSchema = z.object({ script: z.string() })
  server.registerTool(
    'echo',
    { inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
    ({ text }) => text,
  )
  const kinds = { run: {}, look: { readOnlyHint: true }, repeat: { idempotentHint: true } }
  for (const [name, annotations] of Object.entries(kinds)) {
    server.registerTool(
      name,
      {
        inputSchema,
        annotations,
        ...withFiles,
      },
      ({ script }, ctx) => handlerOf(script)(ctx),
    )
  }
  registerTake(server)
  const text = async (script: string, ctx: FullContext) => String(await handlerOf(script)(ctx))
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
  registerSamples(server as McpServer<unknown>)
  return server
}

export const sessionServer = createServer()

/** Telemetry events of the session objects, of all tests in a file. */
export const objectEvents: TelemetryEvent[] = []

/** The same with the events of requests and spans. */
export const recordedEvents: TelemetryEvent[] = []

export const sessionApp = createFullEdgeway(sessionServer, {
  telemetry: [
    (event) => objectEvents.push(event),
    { spans: true, record: (event) => recordedEvents.push(event) },
  ],
  // Tests of other features expect JSON, also on a busy machine.
  limits: { streamAfterMs: 2000 },
})
