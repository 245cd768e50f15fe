/** The bare platform: a Hono route whose object returns Edgeway's `tools/list` bytes over RPC. */
import { DurableObject, env } from 'cloudflare:workers'
import { Hono } from 'hono'

const { TOOLS_LIST: body, MCP_SESSION } = env as {
  readonly TOOLS_LIST: string
  readonly MCP_SESSION: DurableObjectNamespace<BareSession>
}
const init = { headers: { 'content-type': 'application/json' } }

export class BareSession extends DurableObject {
  list(): string {
    return body
  }
}

const app = new Hono()
app.get('/', (c) => c.text('same bytes'))
app.post('/mcp', async (c) => {
  const session = MCP_SESSION.getByName(c.req.header('mcp-session-id') ?? '')
  return new Response(await session.list(), init)
})

export default app
