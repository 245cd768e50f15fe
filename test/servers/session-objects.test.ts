/** Sessions of a deployment with other paths, and of a public server beside one with authorization. */
import { describe, expect, it } from 'vitest'
import { AuthClient } from '../auth/server/support/client.ts'
import { HttpSession } from '../support/http-session.ts'
import type { TestApp } from '../support/test-app.ts'
import { deployed, openDocs } from '../support/two-servers.ts'

const openSession = (app: TestApp) =>
  HttpSession.open({ url: 'http://localhost:8787/docs', fetch: app.fetch })

const textOf = (message: { result?: { content: readonly { text: string }[] } }) =>
  message.result?.content[0]?.text

describe('a session object', () => {
  it('serves a session of a deployment whose server had other paths', async () => {
    const session = await openSession(openDocs({}))
    const moved = openDocs({ path: '/elsewhere', otherPaths: [] })
    const again = new HttpSession(
      { url: 'http://localhost:8787/elsewhere', fetch: moved.fetch },
      session.id,
      session.version,
    )
    expect(textOf(await again.request('tools/call', { name: 'name' }))).toBe('docs nobody')
  })
})

describe('the anonymous session of a public server', () => {
  it('is refused by a server with authorization beside it, as without a session', async () => {
    const { id } = await HttpSession.open({ url: DOCS, fetch: send })
    const client = await AuthClient.register(deployed)
    const { access } = await client.tokens()
    for (const token of [undefined, access]) {
      const authorized = (request: Request) => send(request, token)
      const session = new HttpSession({ url: NOTES, fetch: authorized }, id, '2025-11-25')
      const { status } = await session.send('tools/list')
      expect(status).toBe(token === undefined ? 401 : 404)
    }
  })
})

const ORIGIN = 'https://mcp.example.com'
const DOCS = `${ORIGIN}/docs`
const NOTES = `${ORIGIN}/mcp`

function send({ url, method, headers: sent, body }: Request, token?: string): Promise<Response> {
  const headers = new Headers(sent)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return deployed.fetch(url, { method, headers, ...(body && { body, duplex: 'half' }) })
}
