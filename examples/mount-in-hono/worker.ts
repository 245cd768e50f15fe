/**
 * Mounting: the endpoint as one part of a Worker that has pages and an API of its own. The order of
 * routes is Hono's: what the outer app does not answer goes on to the endpoint's app.
 *
 *     npx wrangler dev examples/mount-in-hono/worker.ts
 */
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../src/index.ts'

interface Env {
  /** `wrangler dev --var GREETING:Moin` */
  readonly GREETING?: string
}

const server = new McpServer<Env>({ name: 'greeter', version: '1.0.0' })

server.registerTool(
  'greet',
  {
    title: 'Greet',
    description: 'Greets somebody by name',
    inputSchema: z.object({ name: z.string().min(1).max(100) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  ({ name }, { env }) => greeting(env, name),
)

function greeting({ GREETING = 'Hello' }: Env, name: string): string {
  return `${GREETING}, ${name}!`
}

const app = new Hono<{ Bindings: Env }>()
app.use('/api/*', secureHeaders())
app.get('/', (c) => c.text('A site of its own. Its MCP endpoint is /ai/mcp.'))
app.get('/api/greetings/:name', (c) => c.json({ text: greeting(c.env, c.req.param('name')) }))
// The path is the whole one, because the endpoint tells clients its own address.
app.route('/', createEdgeway(server, { path: '/ai/mcp' }).app)

export default app
