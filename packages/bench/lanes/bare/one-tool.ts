/** The bare platform: a Hono route that parses the body and returns JSON of the same shape. */
import { Hono } from 'hono'
import { SERVER_INFO } from '../tools/lane-tool.ts'
import { INITIALIZED } from './initialized.ts'

interface Body {
  readonly id: number
  readonly method: string
  readonly params: { readonly arguments: { readonly text: string } }
}

const app = new Hono()
app.get('/', (c) => c.text('bare'))
app.post('/mcp', async (c) => {
  const { id, method, params } = await c.req.json<Body>()
  if (method === 'initialize') return c.json({ jsonrpc: '2.0', id, result: INITIALIZED })
  return c.json({
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'complete',
      content: [{ type: 'text', text: params.arguments.text }],
      _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
    },
  })
})

export default app
