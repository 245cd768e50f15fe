/** How often a task may wait. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { control, objectOf } from '../../support/task-server.ts'
import { TaskClient } from './task-client.ts'

const client = new TaskClient()

it('a task that waits for the ten thousand and first time fails, and says why', async () => {
  const taskId = await client.start(async (ctx) => {
    for (let n = 1; n <= 3; n++) await ctx.waitFor(`event-${n}`)
    return 'not reached'
  })
  const stub = await objectOf(taskId)
  const rowsOf = (query: string) =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec(query).toArray())
  const waitsFor = (key: string) =>
    expect.poll(() => rowsOf('SELECT key FROM waits')).toEqual([{ key }])
  await waitsFor('event-1')
  await rowsOf('UPDATE task SET rounds = 9999')
  // The object has read its row, and reads it again.
  await evictDurableObject(stub)
  await control.deliver(taskId, 'event-1', 1)
  await waitsFor('event-2')
  expect((await client.get(taskId)).status).toBe('working')
  await control.deliver(taskId, 'event-2', 2)
  const { error } = await client.reaches(taskId, 'failed')
  expect(error.message).toBe('The handler asked too many times and was stopped.')
})
