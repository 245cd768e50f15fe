/** A session object serves one server of its Worker, and refuses the requests of another. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createSealer } from '../../durable-objects/keyring/sealer.ts'
import type { SessionNamespace } from '../../durable-objects/session/sessions.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import { AuthClient } from '../auth/server/support/client.ts'
import { HttpSession } from '../support/http-session.ts'
import { initializeHttpSse } from '../support/http-sse-client.ts'
import { sealClaims } from '../support/session-client.ts'
import { keepHandler } from '../support/session-server.ts'
import { SseReader } from '../support/sse-reader.ts'
import type { TestApp } from '../support/test-app.ts'
import { deployed, openDocs, serverEvents } from '../support/two-servers.ts'

const open = (app: TestApp, url = 'http://localhost:8787/docs') =>
  HttpSession.open({ url, fetch: app.fetch })

/** The public server with the session objects of the one with authorization: the option is missing. */
const misbound = (options = {}, name?: string) =>
  openDocs({ sessionBinding: 'NOTES_SESSION', ...options }, { ...env }, name)

const REFUSAL =
  'The session objects of this binding are those of the server "notes" (/mcp), and the server "docs" (/docs, /guide) of the Worker uses them too. Export a class for each server, and name its binding in sessions({ binding })'

const textOf = (message: { result?: { content: readonly { text: string }[] } }) =>
  message.result?.content[0]?.text

describe('a session object of a server with authorization', () => {
  it.each(['tools/list', 'tools/call'])(
    'refuses %s of an anonymous session of another server without the names of the servers, which telemetry has',
    async (method) => {
      const before = serverEvents.length
      const session = await open(misbound())
      const response = await session.send(method, { name: 'name', arguments: {} })
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({
        error: { code: -32603, message: `${MISCONFIGURED} [other-server]` },
      })
      expect(serverEvents.slice(before)).toContainEqual({
        type: 'internal-error',
        error: expect.objectContaining({ name: 'OtherServerError', message: REFUSAL }),
      })
    },
  )

  it('refuses the streams of another server', async () => {
    const session = await open(misbound())
    const response = await session.get()
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: { message: `${MISCONFIGURED} [other-server]` },
    })
  })

  it('refuses to end a session of another server', async () => {
    const app = misbound()
    const session = await open(app)
    expect((await session.end()).status).toBe(500)
    expect(app.events).toContainEqual({
      type: 'internal-error',
      error: expect.objectContaining({ message: expect.stringContaining(REFUSAL) }),
    })
  })

  it('reports the refusal to the telemetry of its own server', async () => {
    const before = serverEvents.length
    await (await open(misbound())).send('ping')
    expect(serverEvents.slice(before)).toEqual([
      {
        type: 'internal-error',
        error: expect.objectContaining({ name: 'OtherServerError', message: REFUSAL }),
      },
    ])
  })

  it.each([
    ['its name', { path: '/docs' }, '/docs'],
    ['its name and its path', { path: '/mcp', otherPaths: [] }, '/mcp'],
  ])('refuses another server with %s', async (_, options, path) => {
    const session = await open(misbound(options, 'notes'), `http://localhost:8787${path}`)
    const response = await session.send('tools/list')
    expect(response.status).toBe(500)
  })
})

describe('the telemetry of an isolate', () => {
  it('reports two servers with the same session binding before an object refuses a request', async () => {
    const bindings = { ...env }
    const sessionBinding = 'NOTES_SESSION'
    const options = { sessionBinding, taskBinding: 'NOTES_TASK', path: '/mcp', otherPaths: [] }
    const own = openDocs(options, bindings, 'notes')
    await open(own, 'http://localhost:8787/mcp')
    expect(own.events).toEqual([])
    const other = openDocs({ sessionBinding }, bindings)
    await open(other)
    expect(other.events).toEqual([
      {
        type: 'definition-warning',
        subject: 'The binding NOTES_SESSION',
        message:
          'the servers "notes" (/mcp) and "docs" (/docs, /guide) use it, and its objects refuse the requests of one of them. Export a class for each server, and name its binding in sessions({ binding })',
      },
    ])
  })
})

describe('a session object', () => {
  it('serves its server at each of its paths', async () => {
    const app = openDocs({})
    for (const path of ['/docs', '/guide']) {
      const session = await open(app, `http://localhost:8787${path}`)
      expect(textOf(await session.request('tools/call', { name: 'name' }))).toBe('docs nobody')
    }
  })

  it('serves a session of a deployment whose server had further paths', async () => {
    const session = await open(openDocs({}))
    const moved = openDocs({ path: '/guide', otherPaths: [] })
    const again = new HttpSession(
      { url: 'http://localhost:8787/guide', fetch: moved.fetch },
      session.id,
      session.version,
    )
    expect(textOf(await again.request('tools/call', { name: 'name' }))).toBe('docs nobody')
  })
})

describe('a session object that a Worker of an earlier version calls', () => {
  it('serves a session id that is sealed for its server', async () => {
    const session = await open(openDocs({}, earlier('DOCS_SESSION')))
    expect(textOf(await session.request('tools/call', { name: 'name' }))).toBe('docs nobody')
    const stream = await session.listen()
    await stream.leave()
    expect((await session.end()).status).toBe(204)
  })

  it('refuses a session id that is sealed for another server', async () => {
    const other = openDocs({}, earlier('DOCS_SESSION'), 'other')
    const session = await open(other)
    const response = await session.send('tools/list')
    expect(response.status).toBe(500)
  })

  it('refuses an anonymous session with the name of its server, which has authorization', async () => {
    const bindings = earlier('NOTES_SESSION', 'DOCS_SESSION')
    const session = await open(openDocs({}, bindings, 'notes'))
    expect((await session.send('tools/list')).status).toBe(500)
  })
})

describe('the rows of a session', () => {
  it('are left alone by the class of another server, and continued by that of their own', async () => {
    const session = await open(openDocs({}))
    let runs = 0
    const stream = await waiting(session, () => runs++)
    const stub = await stubOf(session)
    await rename(stub, '["notes","/mcp"]')
    await runDurableObjectAlarm(stub)
    expect((await session.send('ping')).status).toBe(404)
    expect(runs).toBe(1)
    await rename(stub, '["docs","/docs"]')
    await runDurableObjectAlarm(stub)
    expect(textOf((await stream.message()) ?? {})).toBe('done')
    expect(runs).toBe(2)
  })

  it('of another server are deleted when the session expires', async () => {
    const session = await open(openDocs({}))
    await waiting(session, () => undefined)
    const stub = await stubOf(session)
    await rename(stub, '["notes","/mcp"]', Date.now() - 1)
    await runDurableObjectAlarm(stub)
    const tables = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'runs'`).toArray(),
    )
    expect(tables).toEqual([])
  })

  it.each([
    ['continue when their id is sealed for its server', undefined, 'done'],
    ['end with an error when their id is sealed for another server', 'other', 'The access of'],
  ])('of an earlier version, which name no server, %s', async (_, audience, expected) => {
    const session = await open(openDocs({}))
    const stream = await waiting(session, () => undefined)
    const stub = await stubOf(session)
    await rename(stub, undefined)
    if (audience !== undefined) await reseal(stub, audience)
    await runDurableObjectAlarm(stub)
    expect(JSON.stringify(await stream.message())).toContain(expected)
  })
})

describe('a session of a server whose only path was replaced', () => {
  /** A session whose rows are those of the server at its old path. */
  async function moved() {
    const app = openDocs({})
    const session = await open(app)
    await session.request('logging/setLevel', { level: 'debug' })
    const stub = await stubOf(session)
    await rename(stub, '["docs","/old"]')
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
    expect((await (await open(app)).send('ping')).status).toBe(200)
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
    await rename(await stubOf({ id: client.id }), '["docs","/old"]')
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

/** Bindings whose session objects are called as an earlier version of the Worker does. */
function earlier(binding: 'DOCS_SESSION' | 'NOTES_SESSION', as = binding): object {
  const namespace = env[binding] as unknown as SessionNamespace
  const withoutServer = (text: string) => {
    const { server: _, ...claims } = JSON.parse(text)
    return JSON.stringify(claims)
  }
  const getByName = (name: string) => {
    const stub = namespace.getByName(name)
    return {
      post: (post: { claims: string }) =>
        stub.post({ ...post, claims: withoutServer(post.claims) } as never),
      terminate: (expiresAt: number) => stub.terminate(expiresAt),
      fetch: (request: Request) => {
        const { claims, ...read } = JSON.parse(request.headers.get('x-stream-read') ?? '')
        const text = JSON.stringify({
          ...read,
          claims: JSON.parse(withoutServer(JSON.stringify(claims))),
        })
        return stub.fetch(
          new Request(request.url, { headers: { upgrade: 'websocket', 'x-stream-read': text } }),
        )
      },
    }
  }
  return { ...env, [as]: { getByName } }
}

/** Calls a tool whose handler sleeps, and waits until its run has a row. */
async function waiting(session: HttpSession, onRun: () => void): Promise<SseReader> {
  const { script } = keepHandler(async (ctx) => {
    onRun()
    await ctx.sleep('nap', 3_600_000)
    return 'done'
  })
  const stream = new SseReader(await session.callTool('run', { script }))
  const stub = await stubOf(session)
  await expect
    .poll(() =>
      runInDurableObject(stub, (_, { storage }) =>
        storage.sql.exec(`SELECT count(*) AS n FROM waits`).one(),
      ),
    )
    .toEqual({ n: 1 })
  return stream
}

async function stubOf({ id }: Pick<HttpSession, 'id'>) {
  const sealer = createSealer(env.MCP_KEYRING, undefined)
  const claims = await sealer.open('session-id/1', id, principalContext('docs', undefined))
  return env.DOCS_SESSION.getByName(JSON.parse(new TextDecoder().decode(claims)).name)
}

type Stub = Awaited<ReturnType<typeof stubOf>>

/** Says in the rows which server has stored them, ends the sleep of the run, and evicts the object. */
async function rename(stub: Stub, server: string | undefined, expiresAt?: number): Promise<void> {
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const { value } = sql
      .exec<{ value: string }>(`SELECT value FROM settings WHERE name = 'claims'`)
      .one()
    const { server: _server, ...claims } = JSON.parse(value)
    const changed = { ...claims, ...(expiresAt && { expiresAt }), ...(server && { server }) }
    sql.exec(`UPDATE settings SET value = ? WHERE name = 'claims'`, JSON.stringify(changed))
    sql.exec('UPDATE waits SET until = 1')
  })
  await evictDurableObject(stub)
}

/** Gives the run of a session an id that is sealed for another audience. */
async function reseal(stub: Stub, audience: string): Promise<void> {
  const sql = <T>(work: (sql: SqlStorage) => T) =>
    runInDurableObject(stub, (_, { storage }) => work(storage.sql))
  const [claims, request] = await sql((rows) => [
    rows.exec<{ value: string }>(`SELECT value FROM settings WHERE name = 'claims'`).one().value,
    rows.exec<{ request: string }>('SELECT request FROM runs').one().request,
  ])
  const sessionId = await sealClaims(JSON.parse(claims ?? ''), audience)
  const changed = JSON.stringify({ ...JSON.parse(request ?? ''), sessionId })
  await sql((rows) => rows.exec('UPDATE runs SET request = ?', changed).toArray())
  await evictDurableObject(stub)
}
