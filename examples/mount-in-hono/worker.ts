/**
 * Mounting: the endpoint as part of a Worker that has its own pages and API. Hono matches routes in their
 * order: a request that the outer app does not answer reaches the app of the endpoint.
 *
 *     npx wrangler dev examples/mount-in-hono/worker.ts
 */
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import * as z from 'zod'
import { createEdgeway, createServer } from '../../src/index.ts'

interface Env {
  /** `wrangler dev --var GREETING:Moin` */
  readonly GREETING?: string
}

const server = createServer.for<Env>()({ name: 'greeter', version: '1.0.0' })

server.registerTool(
  'greet',
  {
    title: 'Greet',
    description: 'Greets a person by name',
    inputSchema: z.object({ name: z.string().min(1).max(100) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ name }, { env }) => greeting(env, name),
)

function greeting({ GREETING = 'Hello' }: Env, name: string): string {
  return `${GREETING}, ${name}!`
}

const app = new Hono<{ Bindings: Env }>()
app.use('/api/*', secureHeaders())
app.get('/', (c) => c.text('An ordinary website. Its MCP endpoint is /ai/mcp.'))
app.get('/api/greetings/:name', (c) => c.json({ text: greeting(c.env, c.req.param('name')) }))
// At the root, with the full path: the endpoint sends its own URL to clients, and its metadata has fixed places.
app.route('/', createEdgeway(server, { path: '/ai/mcp' }).app)

export default app
