/** The bare platform for `/token` and `/register`: parses the body, returns JSON of the same shape. */
import { Hono } from 'hono'

/** Constants with the lengths of Edgeway's tokens and client ids. */
const ACCESS_TOKEN = `${'a'.repeat(90)}.${'b'.repeat(280)}.${'c'.repeat(86)}`
const CLIENT_ID = 'd'.repeat(320)

const app = new Hono()
app.get('/', (c) => c.text('bare'))
app.post('/token', async (c) => {
  const form = new URLSearchParams(await c.req.text())
  return c.json({
    access_token: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: form.get('scope') ?? '',
  })
})
app.post('/register', async (c) => {
  const metadata = await c.req.json<Record<string, unknown>>()
  return c.json({ client_id: CLIENT_ID, client_id_issued_at: 0, ...metadata }, 201)
})

export default app
