/** Sessions and tasks of a server of the Worker, and what their objects answer and store. */
import { runInDurableObject } from 'cloudflare:test'
import { expect } from 'vitest'
import type { SessionObject } from '../../durable-objects/session/session-object.ts'
import type { TaskObject } from '../../durable-objects/task/task-object.ts'
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import { HttpSession } from '../support/http-session.ts'
import { objectsOfKind, testSealer } from '../support/objects.ts'
import { keepHandler } from '../support/session-server.ts'
import { SseReader } from '../support/sse-reader.ts'
import { TASKS as META } from '../support/task-server.ts'
import type { TestApp } from '../support/test-app.ts'

export interface Kind {
  readonly kind: 'session' | 'task'
  /** The option of an app that names the binding of its objects. */
  readonly option: 'sessionBinding' | 'taskBinding'
  readonly docs: string
  readonly notes: string
  /** The message with which an object refuses a request of an app, at a path. */
  refusalOf(app: TestApp, path?: string): Promise<string>
  /** Whether the objects of an app serve it, at a path. */
  isServed(app: TestApp, path?: string): Promise<boolean>
  /** Starts a run that sleeps. */
  sleep(app: TestApp, onRun?: () => void): Promise<Sleeper>
}

/** A run that sleeps in an object. */
export interface Sleeper {
  readonly stub: DurableObjectStub
  /** Says in the rows which server has stored them, and ends the sleep. */
  rename(server: string, isExpired?: boolean): Promise<void>
  isKnown(): Promise<boolean>
  /** The text of the answer. */
  ended(): Promise<string>
}

const sealer = () => testSealer()

const urlOf = (path: string) => `http://localhost:8787${path}`

export const openSession = (app: TestApp, path = '/docs') =>
  HttpSession.open({ url: urlOf(path), fetch: app.fetch })

export async function sessionStub({ id }: Pick<HttpSession, 'id'>) {
  const claims = await sealer().open('session-id/1', id, principalContext('docs', undefined))
  return objectsOfKind<SessionObject>('session', 'docs').getByName(
    JSON.parse(new TextDecoder().decode(claims)).name,
  )
}

export async function taskStub(taskId: string) {
  const opened = await openTaskId(sealer(), 'docs', taskId)
  return objectsOfKind<TaskObject>('task', 'docs').getByName(opened?.name ?? '')
}

/** Says in the rows of a session which server has stored them, and ends the sleep of its run. */
export const renameSession = (
  stub: DurableObjectStub,
  server: string | undefined,
  expiresAt?: number,
) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => {
    const query = `SELECT value FROM settings WHERE name = 'claims'`
    const { server: _server, ...claims } = JSON.parse(
      sql.exec<{ value: string }>(query).one().value,
    )
    const changed = { ...claims, ...(expiresAt && { expiresAt }), ...(server && { server }) }
    sql.exec(`UPDATE settings SET value = ? WHERE name = 'claims'`, JSON.stringify(changed))
    sql.exec('UPDATE waits SET until = 1')
  })

/** Changes the stored request of a task, and ends its sleep. */
export const changeTask = (stub: DurableObjectStub, changes: object, createdAt?: number) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => {
    const { request } = sql.exec<{ request: string }>('SELECT request FROM task').one()
    const text = JSON.stringify({ ...JSON.parse(request), ...changes })
    sql.exec('UPDATE task SET request = ?, created_at = ifnull(?, created_at)', text, createdAt)
    sql.exec('UPDATE waits SET until = 1')
  })

const sleeping = (onRun: () => void) =>
  keepHandler(async (ctx) => {
    onRun()
    await ctx.sleep('nap', 3_600_000)
    return 'done'
  })

export const SESSIONS: Kind = {
  kind: 'session',
  option: 'sessionBinding',
  docs: 'DOCS_SESSION',
  notes: 'NOTES_SESSION',

  async refusalOf(app, path) {
    const response = await (await openSession(app, path)).send('tools/list')
    expect(response.status).toBe(500)
    return (await response.json<{ error: { message: string } }>()).error.message
  },

  async isServed(app, path) {
    const session = await openSession(app, path)
    const { result } = await session.request('tools/call', { name: 'name' })
    const stream = await session.listen()
    await stream.leave()
    return result?.content[0].text === 'docs nobody' && (await session.end()).status === 204
  },

  async sleep(app, onRun = () => undefined) {
    const session = await openSession(app)
    const { script } = sleeping(onRun)
    const stream = new SseReader(await session.callTool('run', { script }))
    const stub = await sessionStub(session)
    const sql = <T>(work: (sql: SqlStorage) => T) =>
      runInDurableObject(stub, (_, { storage }) => work(storage.sql))
    await expect
      .poll(() => sql((rows) => rows.exec('SELECT count(*) AS n FROM waits').one()))
      .toEqual({ n: 1 })
    return {
      stub,
      rename: (server, isExpired) =>
        renameSession(stub, server, isExpired ? Date.now() - 1 : undefined),
      isKnown: async () => (await session.send('ping')).status !== 404,
      ended: async () => JSON.stringify(await stream.message()),
    }
  },
}

/** Starts a task whose handler sleeps. */
export const startTask = async (app: TestApp, onRun: () => void = () => undefined) =>
  (await app.modern('tools/call', { name: 'work', arguments: sleeping(onRun) }, { meta: META }))
    .body

export const TASKS: Kind = {
  kind: 'task',
  option: 'taskBinding',
  docs: 'DOCS_TASK',
  notes: 'NOTES_TASK',

  refusalOf: async (app) => (await startTask(app)).error?.message,

  async isServed(app, path = '/docs') {
    const { taskId } = (await startTask(app)).result
    const { body } = await app.at(path).modern('tasks/get', { taskId }, { meta: META })
    return body.result.status === 'working'
  },

  async sleep(app, onRun) {
    const { taskId } = (await startTask(app, onRun)).result
    const stub = await taskStub(taskId)
    const get = async () => (await app.modern('tasks/get', { taskId }, { meta: META })).body
    return {
      stub,
      rename: (server, isExpired) => changeTask(stub, { server }, isExpired ? 1 : undefined),
      isKnown: async () => (await get()).error === undefined,
      async ended() {
        await expect
          .poll(async () => (await get()).result.status)
          .toBeOneOf(['completed', 'failed'])
        return JSON.stringify(await get())
      },
    }
  },
}
