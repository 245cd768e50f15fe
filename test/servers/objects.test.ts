/** The objects of several servers of one Worker: the class has each server, and a server that it lacks is not served. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { embedded, passphrase } from '../../src/auth/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { createEdgeway, McpServer, objectsOf } from '../../src/index.ts'
import type { FullOptions } from '../support/full-app.ts'
import { HttpSession } from '../support/http-session.ts'
import { keepHandler } from '../support/session-server.ts'
import { TASKS as META } from '../support/task-server.ts'
import type { TestApp } from '../support/test-app.ts'
import { openDocs, serverEvents } from '../support/two-servers.ts'

const open = (app: TestApp, path = '/docs') =>
  HttpSession.open({ url: `http://localhost:8787${path}`, fetch: app.fetch })

const startTask = (app: TestApp) => {
  const params = { name: 'work', arguments: keepHandler(() => 'done') }
  return app.modern('tools/call', params, { meta: META })
}

const server = (name = 'notes') => new McpServer({ name, version: '1.0.0' })

const signIn = (codeTtlMs: number) =>
  embedded({
    origin: 'https://mcp.example.com',
    scopes: { read: 'Read notes' },
    login: passphrase({ people: { owner: 'correct horse battery staple' } }),
    limits: { codeTtlMs },
  })

describe('objectsOf()', () => {
  it('returns a class of several servers, whose options of shared objects are the same', () => {
    const notes = createEdgeway(server(), { auth: signIn(60_000), features: [changes()] })
    const docs = createEdgeway(server('docs'), {
      auth: signIn(60_000),
      features: [changes({ shards: 2 })],
    })
    expect(objectsOf(notes, docs)).toBeTypeOf('function')
  })

  it('refuses two servers with one audience', () => {
    const one = createEdgeway(server())
    expect(() => objectsOf(one, createEdgeway(server(), { path: '/other' }))).toThrow(
      'Two servers have the audience "notes". Give each one of its own: createEdgeway(…, { audience })',
    )
    expect(objectsOf(one, createEdgeway(server(), { audience: 'other' }))).toBeTypeOf('function')
  })

  it('refuses two servers with different options of the objects that they share', () => {
    const notes = createEdgeway(server(), { auth: signIn(60_000) })
    const docs = createEdgeway(server('docs'), { auth: signIn(90_000) })
    expect(() => objectsOf(notes, docs)).toThrow(
      'The servers "notes" and "docs" share the account objects, and their options for them differ. Give both the same',
    )
  })
})

describe('a server that the class of the Worker does not have', () => {
  const strange = () => openDocs({}, { ...env }, 'a server that the class lacks')

  it('answers 503 with Retry-After to a message of a session', async () => {
    const response = await (await open(strange())).send('tools/list')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.text()).toContain('its session objects are of another version')
  })

  it('answers 503 with Retry-After to the stream of a session', async () => {
    const response = await (await open(strange())).get()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('answers 503 with Retry-After to a call that becomes a task', async () => {
    const { status, headers, body } = await startTask(strange())
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(body.error.message).toContain('its task objects are of another version')
  })
})

describe('a server with authorization, beside a public one with its audience', () => {
  /** The public server has the name of `notes`, which has authorization and is in the class. */
  const namesake = (options: FullOptions = {}) => openDocs(options, { ...env }, 'notes')

  it('serves no session and no task of it, and reports why', async () => {
    const before = serverEvents.length
    const app = namesake()
    expect((await (await open(app)).send('tools/list')).status).toBe(503)
    expect((await startTask(app)).body.result).toMatchObject({ isError: true })
    const reported = [...serverEvents.slice(before), ...app.events]
    expect(JSON.stringify(reported)).not.toContain('owner')
    expect(app.events.map(({ type }) => type)).toEqual([
      'internal-error',
      'refusal',
      'handler-error',
    ])
  })
})
