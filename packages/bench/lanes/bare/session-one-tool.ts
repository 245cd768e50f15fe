/** The bare platform: a Hono route that parses the body and calls an object once over RPC. */
import { DurableObject, env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { INITIALIZED } from './initialized.ts'

interface Message {
  readonly id: number
  readonly method: string
  readonly params: { readonly arguments: { readonly text: string } }
}

export class BareSession extends DurableObject {
  call({ params }: Message) {
    return { content: [{ type: 'text', text: params.arguments.text }] }
  }
}

const { MCP_SESSION } = env as {
  readonly MCP_SESSION: DurableObjectNamespace<BareSession>
}

const app = new Hono()
app.get('/', (c) => c.text('bare'))
app.post('/mcp', async (c) => {
  const message = await c.req.json<Message>()
  const { id, method } = message
  if (method === 'initialize') return c.json({ jsonrpc: '2.0', id, result: INITIALIZED })
  // The route keeps no sessions: every session id is the name of an object.
  const session = MCP_SESSION.getByName(c.req.header('mcp-session-id') ?? '')
  return c.json({ jsonrpc: '2.0', id, result: await session.call(message) })
})

export default app
