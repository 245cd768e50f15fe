/** The page of a ticket for a person who is signed in to this server, and for a program with a token. */
// features: files
import { expect, it } from 'vitest'
import { file } from '../../../src/features/files/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { Browser } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { GUEST_PASSPHRASE, ORIGIN, openDeployment } from './support/deployment.ts'

it.each([
  ['/mcp', '/mcp'],
  ['/mcp/{org}', '/mcp/acme'],
])(
  'the page of a ticket at %s is refused to the browser and the token of another person, and then still accepts the file',
  async (pattern, path) => {
    const factory = () => {
      const server = new FullServer({ name: 'notes', version: '1.0.0' })
      server.registerTool('take', { files: { data: file() } }, ({ files }) => files.data.name)
      return server
    }
    const server = openDeployment({}, { factory, app: { path: pattern } })
    const client = await AuthClient.register(server)
    const wanted = { scope: 'read', resource: `${ORIGIN}${path}` }
    const { access: token } = await client.tokens(wanted)
    const call = async (args: object) => {
      const response = await server.fetch(`${ORIGIN}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'take', arguments: args },
        }),
      })
      const { result } = (await response.json()) as { result: Result }
      return result
    }
    const [{ page, handle }] = (await call({}))._meta['dev.edgeway/uploads'] as readonly [Ticket]
    const upload = new URL(page).pathname
    const [owner, guest] = [new Browser(server), new Browser(server)]
    await owner.signIn()
    await guest.signIn(GUEST_PASSPHRASE)
    const refused = await guest.get(upload)
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('another person')])
    expect(refused.html).not.toContain('<form')
    expect((await guest.post(upload, { file: 'a' })).status).toBe(403)
    const { access: other } = await client.tokens(wanted, GUEST_PASSPHRASE)
    const withToken = async (method: string, bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}` }
      return (await server.fetch(page, { method, headers })).status
    }
    expect([await withToken('GET', other), await withToken('PUT', other)]).toEqual([403, 403])
    expect([await withToken('GET', token), await withToken('GET', 'unknown')]).toEqual([200, 200])
    expect((await owner.get(upload)).status).toBe(200)
    expect((await new Browser(server).get(upload)).status).toBe(200)
    const sent = await server.fetch(`${page}?name=a.txt`, { method: 'PUT', body: 'a' })
    expect(sent.status).toBe(201)
    expect((await owner.get(upload)).status).toBe(410)
    expect((await call({ data: handle })).content[0].text).toBe('a.txt')
  },
)

interface Result {
  readonly content: readonly [{ readonly text: string }]
  readonly _meta: Readonly<Record<string, readonly [Ticket]>>
}

interface Ticket {
  readonly page: string
  readonly handle: string
}
