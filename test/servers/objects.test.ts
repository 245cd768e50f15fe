/** A session object or a task object serves one server of its Worker, and refuses the requests of another. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import type { FullOptions } from '../support/full-app.ts'
import type { TestApp } from '../support/test-app.ts'
import { openDocs, serverEvents } from '../support/two-servers.ts'
import { type Kind, openSession, SESSIONS, type Sleeper, TASKS } from './object-kinds.ts'

/** The public server with the objects of the one with authorization: the option is missing. */
const misbound = ({ option, notes }: Kind, options: FullOptions = {}, name?: string) =>
  openDocs({ [option]: notes, ...options }, { ...env }, name)

/** Runs the alarm of an object whose rows are those of a server. */
async function wakeAs({ stub }: Sleeper, rename: () => Promise<void>): Promise<void> {
  await rename()
  await evictDurableObject(stub)
  await runDurableObjectAlarm(stub)
}

const refusedBy = async (kind: Kind, app: TestApp, path?: string) => {
  const message = await kind.refusalOf(app, path)
  return message.replace(' [other-server]', '') === MISCONFIGURED
}

describe.each([SESSIONS, TASKS])('a $kind object of a server with authorization', (kind) => {
  const refusal = `The ${kind.kind} objects of this binding are those of the server "notes" (/mcp), and the server "docs" (/docs, /guide) of the Worker uses them too. Export a class for each server, and name its binding in ${kind.kind}s({ binding })`

  it('refuses another server without the names of the servers, which its own telemetry has', async () => {
    const before = serverEvents.length
    expect(await refusedBy(kind, misbound(kind))).toBe(true)
    expect(serverEvents.slice(before)).toEqual([
      {
        type: 'internal-error',
        error: expect.objectContaining({ name: 'OtherServerError', message: refusal }),
      },
    ])
  })

  it.each([
    ['its name', { path: '/docs' }],
    ['its name and its path', { path: '/mcp', otherPaths: [] }],
  ])('refuses another server with %s', async (_, options) => {
    const app = misbound(kind, options, 'notes')
    expect(await refusedBy(kind, app, options.path)).toBe(true)
  })

  it('is reported to telemetry as the binding of two servers, before it refuses a request', async () => {
    const bindings = { ...env }
    const common = { [kind.option]: kind.notes }
    const [session, task] = [{}, { taskBinding: 'NOTES_TASK' }]
    const path = { path: '/mcp', otherPaths: [] }
    const own = openDocs({ ...session, ...task, ...path }, bindings, 'notes')
    await openSession(own, '/mcp')
    await own.modern('server/discover')
    const other = openDocs(common, bindings)
    await openSession(other)
    await other.modern('server/discover')
    expect([own.events, other.events]).toEqual([
      [],
      [
        {
          type: 'definition-warning',
          subject: `The binding ${kind.notes}`,
          message: `the servers "notes" (/mcp) and "docs" (/docs, /guide) use it, and its objects refuse the requests of one of them. Export a class for each server, and name its binding in ${kind.kind}s({ binding })`,
        },
      ],
    ])
  })
})

describe.each([SESSIONS, TASKS])('a $kind object', (kind) => {
  it('serves its server at each of its paths', async () => {
    const app = openDocs({})
    for (const path of ['/docs', '/guide']) expect(await kind.isServed(app, path)).toBe(true)
  })
})

describe.each([SESSIONS, TASKS])('the rows of a $kind', (kind) => {
  it('are left alone by the class of another server, and continued by that of their own', async () => {
    let runs = 0
    const sleeper = await kind.sleep(openDocs({}), () => runs++)
    await wakeAs(sleeper, () => sleeper.rename('["notes","/mcp"]'))
    expect(await sleeper.isKnown()).toBe(false)
    expect(runs).toBe(1)
    await wakeAs(sleeper, () => sleeper.rename('["docs","/docs"]'))
    expect(await sleeper.ended()).toContain('done')
    expect(runs).toBe(2)
  })

  it('of another server are deleted when they expire', async () => {
    const sleeper = await kind.sleep(openDocs({}))
    await wakeAs(sleeper, () => sleeper.rename('["notes","/mcp"]', true))
    const tables = await runInDurableObject(sleeper.stub, (_, { storage }) =>
      storage.sql
        .exec(`SELECT name FROM sqlite_master WHERE name IN ('runs', 'task', 'waits')`)
        .toArray(),
    )
    expect(tables).toEqual([])
  })
})
