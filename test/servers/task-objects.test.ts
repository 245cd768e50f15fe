/** Calls of a task object by another server, and tasks of a deployment with another path. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { TaskObject, TaskRpc } from '../../durable-objects/task/task-object.ts'
import type { TaskNamespace } from '../../durable-objects/task/tasks.ts'
import { objectsOfKind } from '../support/objects.ts'
import { TASKS } from '../support/task-server.ts'
import { openDocs } from '../support/two-servers.ts'
import { changeTask, startTask, taskStub } from './object-kinds.ts'

const REFUSAL =
  'The task objects of this binding are those of the server "notes" (/mcp), and the server "docs" (/docs, /guide) of the Worker uses them too. Export a class for each server, and name its binding in tasks({ binding })'

const statusOf = (stub: DurableObjectStub) => async () =>
  await runInDurableObject(
    stub,
    (_, { storage: { sql } }) => sql.exec('SELECT state FROM task').toArray()[0]?.state,
  )

describe('a task object of a server with authorization', () => {
  it.each<[string, (task: TaskRpc, server: string) => Promise<unknown>]>([
    ['read', (task, server) => task.read(server)],
    ['cancel', (task, server) => task.cancel(server)],
    ['erase', (task, server) => task.erase(server)],
    ['wait', (task, server) => task.wait(0, 1, server, false)],
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
    const namespace = objectsOfKind<TaskObject>('task', 'notes') as unknown as TaskNamespace
    const stub = namespace.getByName(crypto.randomUUID())
    // Awaited here: each member that expect reads of a promise of RPC is a further promise, which fails too.
    const refused = async () => await call(stub, '["docs","/docs","/guide"]')
    await expect(refused).rejects.toThrow(REFUSAL)
  })
})

describe('a task of a server whose only path was replaced', () => {
  it('is unknown at the new path, and is deleted by the operator', async () => {
    const app = openDocs({})
    const { taskId } = (await startTask(app)).result
    const stub = await taskStub(taskId)
    await changeTask(stub, { server: '["docs","/old"]' })
    await evictDurableObject(stub)
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
