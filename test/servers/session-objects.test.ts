/** Sessions of another server, of a deployment with other paths, and of a public server beside one with authorization. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import { AuthClient } from '../auth/server/support/client.ts'
import { HttpSession } from '../support/http-session.ts'
import { initializeHttpSse } from '../support/http-sse-client.ts'
import { deployed, openDocs } from '../support/two-servers.ts'
import { openSession, renameSession, sessionStub } from './object-kinds.ts'

/** The public server with the session objects of the one with authorization: the option is missing. */
const misbound = () => openDocs({})

const REFUSAL = 'The session objects of this binding are those of the server "notes" (/mcp)'

const textOf = (message: { result?: { content: readonly { text: string }[] } }) =>
  message.result?.content[0]?.text

describe('a session object of a server with authorization', () => {
  it('refuses the streams of another server', async () => {
    const session = await openSession(misbound())
    const response = await session.get()
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: { message: `${MISCONFIGURED} [other-server]` },
    })
  })

  it('refuses to end a session of another server', async () => {
    const app = misbound()
    const session = await openSession(app)
    expect((await session.end()).status).toBe(500)
    expect(app.events).toContainEqual({
      type: 'internal-error',
      error: expect.objectContaining({ message: expect.stringContaining(REFUSAL) }),
    })
  })
})

describe('a session object', () => {
  it('serves a session of a deployment whose server had further paths', async () => {
    const session = await openSession(openDocs({}))
    const moved = openDocs({ path: '/guide', otherPaths: [] })
    const again = new HttpSession(
      { url: 'http://localhost:8787/guide', fetch: moved.fetch },
      session.id,
      session.version,
    )
    expect(textOf(await again.request('tools/call', { name: 'name' }))).toBe('docs nobody')
  })
})

describe('a session of a server whose only path was replaced', () => {
  /** A session whose rows are those of the server at its old path. */
  async function moved() {
    const app = openDocs({})
    const session = await openSession(app)
    await session.request('logging/setLevel', { level: 'debug' })
    const stub = await sessionStub(session)
    await renameSession(stub, '["docs","/old"]')
    await evictDurableObject(stub)
    return { app, session, stub }
  }

  it('is unknown at the new path, by POST and by GET, and reports nothing', async () => {
    const { app, session } = await moved()
    const answers = [await session.send('tools/list'), await session.get()]
    for (const answer of answers) {
      expect(answer.status).toBe(404)
      expect(JSON.stringify(await answer.json())).toContain('[session-not-found]')
    }
    expect(app.events.filter(({ type }) => type === 'internal-error')).toEqual([])
    // A new session works.
    expect((await (await openSession(app)).send('ping')).status).toBe(200)
  })

  it('is deleted by its client at the new path', async () => {
    const { session, stub } = await moved()
    expect((await session.end()).status).toBe(204)
    const tables = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'settings'`).toArray(),
    )
    expect(tables).toEqual([])
  })

  it('is unknown to a client of 2024-11-05 that resumes its stream or sends a message', async () => {
    const app = openDocs({ httpSse: {} })
    const client = await initializeHttpSse(app)
    const lastEventId = client.lastId()
    await client.stream.leave()
    const stub = await sessionStub({ id: client.id })
    await renameSession(stub, '["docs","/old"]')
    await evictDurableObject(stub)
    expect((await client.send('tools/list', {}, '2')).status).toBe(404)
    const headers = { accept: 'text/event-stream', 'last-event-id': lastEventId }
    const resumed = await app.fetch(new Request('http://localhost:8787/sse', { headers }))
    expect(resumed.status).toBe(404)
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
