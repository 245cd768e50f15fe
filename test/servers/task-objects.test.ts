/** A task object serves one server of its Worker, and refuses the requests of another. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createSealer } from '../../durable-objects/keyring/sealer.ts'
import type { TaskRpc } from '../../durable-objects/task/task-object.ts'
import type { TaskNamespace } from '../../durable-objects/task/tasks.ts'
import { openTaskId, sealTaskId } from '../../src/features/tasks/task-ids.ts'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import { keepHandler } from '../support/session-server.ts'
import { TASKS } from '../support/task-server.ts'
import type { TestApp } from '../support/test-app.ts'
import { openDocs, serverEvents } from '../support/two-servers.ts'

const REFUSAL =
  'The task objects of this binding are those of the server "notes" (/mcp), and the server "docs" (/docs, /guide) of the Worker uses them too. Export a class for each server, and name its binding in tasks({ binding })'

const sealer = () => createSealer(env.MCP_KEYRING, undefined)

/** Starts a task whose handler sleeps. */
async function start(app: TestApp, onRun: () => void = () => undefined) {
  const handler = keepHandler(async (ctx) => {
    onRun()
    await ctx.sleep('nap', 3_600_000)
    return 'done'
  })
  const params = { name: 'work', arguments: handler }
  return (await app.modern('tools/call', params, { meta: TASKS })).body
}

const get = async (app: TestApp, taskId: string) =>
  (await app.modern('tasks/get', { taskId }, { meta: TASKS })).body

async function stubOf(taskId: string, namespace = env.DOCS_TASK) {
  const opened = await openTaskId(sealer(), 'docs', taskId)
  return namespace.getByName(opened?.name ?? '')
}

type Stub = Awaited<ReturnType<typeof stubOf>>

/** Changes the stored request of a task, ends its sleep, and evicts the object. */
async function change(stub: Stub, changes: object, createdAt?: number): Promise<void> {
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const { request } = sql.exec<{ request: string }>('SELECT request FROM task').one()
    const text = JSON.stringify({ ...JSON.parse(request), ...changes })
    sql.exec('UPDATE task SET request = ?, created_at = ifnull(?, created_at)', text, createdAt)
    sql.exec('UPDATE waits SET until = 1')
  })
  await evictDurableObject(stub)
}

const statusOf = (stub: Stub) => async () =>
  await runInDurableObject(
    stub,
    (_, { storage: { sql } }) => sql.exec('SELECT state FROM task').toArray()[0]?.state,
  )

describe('a task object of a server with authorization', () => {
  it('refuses a task of another server without the names of the servers, which telemetry has', async () => {
    const before = serverEvents.length
    const body = await start(openDocs({ taskBinding: 'NOTES_TASK' }))
    expect(body.error).toMatchObject({ code: -32603, message: MISCONFIGURED })
    expect(serverEvents.slice(before)).toMatchObject([
      { type: 'internal-error', error: { name: 'OtherServerError', message: REFUSAL } },
    ])
  })

  it('refuses an anonymous task of another server with its name and its path', async () => {
    const options = { taskBinding: 'NOTES_TASK', path: '/mcp', otherPaths: [] }
    const body = await start(openDocs(options, { ...env }, 'notes'))
    expect(body.error).toMatchObject({ code: -32603 })
  })

  it.each<[string, (task: TaskRpc, server: string) => Promise<unknown>]>([
    ['read', (task, server) => task.read(server)],
    ['cancel', (task, server) => task.cancel(server)],
    ['erase', (task, server) => task.erase(server)],
    ['wait', (task, server) => task.wait(0, 1, server)],
    ['update', (task, server) => task.update('{}', '{}', server)],
    ['follow', (task, server) => task.follow('{}', server)],
    ['deliver', (task, server) => task.deliver('key', '1', server)],
    ['deliveryRefusal', (task, server) => task.deliveryRefusal('key', server)],
    ['openInbox', (task, server) => task.openInbox(1, server)],
    ['receive', (task, server) => task.receive('{"expiresAt":1}', 1, server)],
    ['closeInbox', (task, server) => task.closeInbox(server)],
    ['watch', (task, server) => task.watch(1, server)],
  ])('refuses %s of another server', async (_, call) => {
    // The type of the stub is deeper than the compiler follows.
    const namespace = env.NOTES_TASK as unknown as TaskNamespace
    const stub = namespace.getByName(crypto.randomUUID())
    // Awaited here: each member that expect reads of a promise of RPC is a further promise, which fails too.
    const refused = async () => await call(stub, '["docs","/docs","/guide"]')
    await expect(refused).rejects.toThrow(REFUSAL)
  })

  it('is reported to telemetry as the binding of two servers', async () => {
    const bindings = { ...env }
    const common = { taskBinding: 'NOTES_TASK' }
    const own = openDocs({ ...common, path: '/mcp', otherPaths: [] }, bindings, 'notes')
    await own.modern('server/discover')
    const other = openDocs(common, bindings)
    await other.modern('server/discover')
    expect([own.events, other.events]).toEqual([
      [],
      [
        {
          type: 'definition-warning',
          subject: 'The binding NOTES_TASK',
          message: expect.stringContaining('the servers "notes" (/mcp) and "docs" (/docs, /guide)'),
        },
      ],
    ])
  })
})

describe('a task object', () => {
  it('serves its server at each of its paths', async () => {
    const app = openDocs({})
    const { taskId } = (await start(app)).result
    expect((await get(app.at('/guide'), taskId)).result.status).toBe('working')
  })
})

describe('a task object that a Worker of an earlier version calls', () => {
  it('serves a task whose id is sealed for its server', async () => {
    const app = openDocs({}, earlier(env.DOCS_TASK))
    const { taskId } = (await start(app)).result
    expect((await get(app, taskId)).result.status).toBe('working')
  })

  it('refuses a task whose id is sealed for another server', async () => {
    const body = await start(openDocs({}, earlier(env.DOCS_TASK), 'other'))
    expect(body.error.message).toBe(MISCONFIGURED)
  })

  it('refuses an anonymous task with the name of its server, which has authorization', async () => {
    const body = await start(openDocs({}, earlier(env.NOTES_TASK), 'notes'))
    expect(body.error.message).toBe(MISCONFIGURED)
  })
})

describe('a task of a server whose only path was replaced', () => {
  it('is unknown at the new path, and is deleted by the operator', async () => {
    const app = openDocs({})
    const { taskId } = (await start(app)).result
    const stub = await stubOf(taskId)
    await change(stub, { server: '["docs","/old"]' })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }
      const { body } = await app.modern(method, params, { meta: TASKS })
      expect([method, body.error?.code]).toEqual([method, -32602])
    }
    const task = stub as unknown as TaskRpc
    const own = '["docs","/docs"]'
    expect(await task.deliver('key', '1', own)).toEqual({ kind: 'unknown' })
    expect(await task.deliveryRefusal('key', own)).toBe('unknown')
    expect(await task.watch(Date.now(), own)).toBeUndefined()
    expect(app.events.filter(({ type }) => type === 'internal-error')).toEqual([])
    expect(await statusOf(stub)()).toBe('waiting')
    expect(await task.erase(own)).toBe(true)
    await expect(statusOf(stub)()).rejects.toThrow('no such table')
  })
})

describe('the rows of a task', () => {
  it('are left alone by the class of another server, and continued by that of their own', async () => {
    const app = openDocs({})
    let runs = 0
    const { taskId } = (await start(app, () => runs++)).result
    const stub = await stubOf(taskId)
    await change(stub, { server: '["notes","/mcp"]' })
    await runDurableObjectAlarm(stub)
    expect((await get(app, taskId)).error).toMatchObject({ code: -32602 })
    expect([runs, await statusOf(stub)()]).toEqual([1, 'waiting'])
    await change(stub, { server: '["docs","/docs"]' })
    await runDurableObjectAlarm(stub)
    await expect.poll(statusOf(stub)).toBe('completed')
    expect(runs).toBe(2)
  })

  it('of another server are deleted when the task expires', async () => {
    const { taskId } = (await start(openDocs({}))).result
    const stub = await stubOf(taskId)
    await change(stub, { server: '["notes","/mcp"]' }, 1)
    await runDurableObjectAlarm(stub)
    const tables = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'task'`).toArray(),
    )
    expect(tables).toEqual([])
  })

  it.each([
    ['continue when their id is sealed for its server', 'docs', 'completed', 2],
    ['end with an error when their id is sealed for another server', 'notes', 'failed', 1],
  ])(
    'of an earlier version, which name no server, %s',
    async (_, audience, expected, expectedRuns) => {
      let runs = 0
      const { taskId } = (await start(openDocs({}), () => runs++)).result
      const stub = await stubOf(taskId)
      const sealed = await sealTaskId(sealer(), audience, 'a-name', 'anonymous')
      await change(stub, { server: undefined, taskId: sealed })
      await runDurableObjectAlarm(stub)
      await expect.poll(statusOf(stub)).toBe(expected)
      expect(runs).toBe(expectedRuns)
    },
  )
})

/** The public server's bindings, with task objects that are called as an earlier version of the Worker does. */
function earlier(namespace: typeof env.DOCS_TASK): object {
  const { getByName } = namespace as unknown as TaskNamespace
  const objects: TaskNamespace = {
    getByName: (name) => {
      const stub = getByName.call(namespace, name)
      return {
        ...stub,
        start: (text) => {
          const { request, ...start } = JSON.parse(text)
          const { server: _, ...rest } = request
          return stub.start(JSON.stringify({ ...start, request: rest }))
        },
        read: () => stub.read(),
      }
    },
  }
  return { ...env, DOCS_TASK: objects }
}
