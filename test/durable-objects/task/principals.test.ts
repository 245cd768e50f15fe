// features: auth
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  AUTHORIZED_AUDIENCE,
  authorizedControl,
  objectOf,
  openAuthorizedTaskApp,
  revokedSubjects,
  taskEvents,
  unknownSubjects,
  unscopedSubjects,
} from '../../support/task-server.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient, until } from './task-client.ts'

const app = openAuthorizedTaskApp()
const as = (subject: string) => new TaskClient(app, subject)

const WAITS = async (ctx: Parameters<Parameters<TaskClient['start']>[0]>[0]) =>
  JSON.stringify(await ctx.waitFor('event'))

describe('a task of one principal', () => {
  it('fails with nothing besides the JSON-RPC error when its caller has lost a scope', async () => {
    const client = as('scholar write')
    const taskId = await client.start(WAITS, 'scoped')
    unscopedSubjects.add('scholar')
    await authorizedControl.deliver(taskId, 'event', 1)
    const { error } = await client.reaches(taskId, 'failed')
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message'])
    expect(await authorizedControl.get(taskId)).toMatchObject({ error })
    expect((await authorizedControl.get(taskId))?.error).toEqual(error)
  })

  it('does not exist for another one', async () => {
    verifies('earlier-tasks/tasks-are-bound', 'tasks/access-is-checked')
    const taskId = await as('alice').start(WAITS)
    const mallory = as('mallory')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { body } = await mallory.send(method, { taskId, inputResponses: {} })
      expect(body.error.code, method).toBe(-32602)
    }
    expect((await as('alice').get(taskId)).status).toBe('working')
  })

  it('does not exist for an anonymous caller of another server', async () => {
    const taskId = await as('alice').start(WAITS)
    expect((await new TaskClient().get(taskId)).code).toBe(-32602)
  })

  it('is in the list of its subject, newest first, page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 25; n++) ids.push(await as('lister').start(WAITS))
    const first = await authorizedControl.list('lister')
    const second = await authorizedControl.list('lister', first.nextCursor)
    const listed = [...first.tasks, ...second.tasks].map(({ taskId }) => taskId)
    expect(first.tasks).toHaveLength(20)
    expect(second.nextCursor).toBeUndefined()
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect((await authorizedControl.list('nobody')).tasks).toEqual([])
  })

  it('ends when the access of its caller was revoked while it waited', async () => {
    let rounds = 0
    const taskId = await as('leaver').start(async (ctx) => {
      rounds++
      return WAITS(ctx)
    })
    await until(() => rounds === 1)
    revokedSubjects.add('leaver')
    await authorizedControl.deliver(taskId, 'event', 1)
    const { error } = await as('leaver').reaches(taskId, 'failed')
    expect(error.message).toContain('access')
    expect(rounds).toBe(1)
  })

  it('goes on when the access of its caller can be determined again', async () => {
    const taskId = await as('waiter').start(WAITS)
    unknownSubjects.add('waiter')
    const before = taskEvents.length
    await authorizedControl.deliver(taskId, 'event', 1)
    await until(() => taskEvents.slice(before).some(({ type }) => type === 'internal-error'))
    expect((await as('waiter').get(taskId)).status).toBe('working')
    unknownSubjects.delete('waiter')
    const { result } = await as('waiter').reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('1')
  })

  it('goes on without a request of its caller, as its caller', async () => {
    const taskId = await as('sleeper read').start(async (ctx) => {
      await ctx.sleep('nap', 20)
      return `${ctx.auth?.subject} ${ctx.auth?.scopes}`
    })
    const { result } = await as('sleeper read').reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('sleeper read')
  })

  it('stores its caller until it is over', async () => {
    const taskId = await as('finisher').start(WAITS)
    const object = await objectOf(taskId, AUTHORIZED_AUDIENCE)
    const stored = () =>
      runInDurableObject(object, (_, { storage: { sql } }) =>
        sql.exec('SELECT caller FROM task').one(),
      )
    expect((await stored()).caller).not.toBeNull()
    await authorizedControl.deliver(taskId, 'event', 1)
    await as('finisher').reaches(taskId, 'completed')
    expect((await stored()).caller).toBeNull()
  })

  it('can be looked at and cancelled by the owner of the server', async () => {
    const taskId = await as('alice').start(WAITS)
    expect((await authorizedControl.get(taskId))?.status).toBe('working')
    expect((await authorizedControl.cancel(taskId))?.status).toBe('cancelled')
    expect(await authorizedControl.get('nonsense')).toBeUndefined()
    await expect(authorizedControl.deliver(taskId, 'event', 1)).rejects.toMatchObject({
      reason: 'task-is-over',
    })
  })
})
