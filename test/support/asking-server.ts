/** The server of the tests of questions through the model. The test that calls a tool supplies its handler. */
// features: tasks, sessions
import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { type ClientOptions, connect, type TestClient } from '../../packages/testing/src/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { FullServer } from './full-server.ts'
import { type Handler, handlerOf } from './session-server.ts'
import { trusting } from './trusting.ts'

/** Subjects that do not see the tool `seen`. */
export const askingHiddenFrom = new Set<string>()

function createServer(): FullServer {
  const server = new FullServer({ name: 'asking', version: '1.0.0' })
  const inputSchema = z.object({ script: z.string() })
  const run = ({ script }: { script: string }, ctx: Parameters<Handler>[0]) =>
    handlerOf(script)(ctx)
  const reads = { readOnlyHint: true }
  server.registerTool('open', { inputSchema, throughModel: true }, run)
  server.registerTool('reads', { inputSchema, annotations: reads }, run)
  server.registerTool('careful', { inputSchema, annotations: { destructiveHint: true } }, run)
  server.registerTool('long', { inputSchema, throughModel: true, task: 'optional' }, run)
  server.registerTool('closed', { inputSchema, throughModel: false, annotations: reads }, run)
  server.registerTool('scoped', { inputSchema, throughModel: true, scopes: ['write'] }, run)
  const visible = (auth: { subject: string } | undefined) =>
    !askingHiddenFrom.has(String(auth?.subject))
  server.registerTool('seen', { inputSchema, throughModel: true, visible }, run)
  const outputSchema = z.object({ total: z.number() })
  const typed = run as unknown as () => { total: number }
  server.registerTool('typed', { inputSchema, outputSchema, throughModel: true }, typed)
  const each = { inputSchema, outputSchema, annotations: { destructiveHint: true } }
  server.registerTool('typed-once', each, typed)
  return server
}

export const askingApp = createFullEdgeway(createServer(), {
  featureLimits: { asks: { throughModel: true }, tasks: { holdMs: 8000, perPrincipal: 20 } },
  auth: trusting('https://asking.example.com'),
  audience: 'asking',
})

/** Connects as a subject. */
export const connectAsking = (
  subject: string,
  options: ClientOptions<unknown>,
): Promise<TestClient> => connect(askingApp as never, { env, token: subject, ...options } as never)
