/** The bare platform: a Hono route that returns Edgeway's `tools/list` bytes for every request. */
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'

const { TOOLS_LIST: body } = env as { readonly TOOLS_LIST: string }
const init = { headers: { 'content-type': 'application/json' } }

const app = new Hono()
app.get('/', (c) => c.text('same bytes'))
app.post('/mcp', () => new Response(body, init))

export default app
