/** Waits of tasks: for a time, and for events that the author delivers. */
// features: tasks
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { control, objectOf } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'
import { evict } from './task-object.ts'

const client = new TaskClient()

describe('ctx.sleep', () => {
  it('keeps nothing in memory and goes on after its time', async () => {
    const ran: string[] = []
    const taskId = await client.start(async (ctx) => {
      ran.push('handler')
      await ctx.sleep('nap', 200)
      return 'awake'
    })
    await until(() => ran.length === 1)
    await evict(taskId)
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('awake')
    expect(ran).toEqual(['handler', 'handler'])
  })
})

describe('ctx.waitFor', () => {
  const EVENT = z.object({ ok: z.boolean() })

  it('receives the delivered value, once', async () => {
    const taskId = await client.start(async (ctx) => {
      const { ok } = await ctx.waitFor('event', { schema: EVENT })
      await ctx.sleep('then', 100)
      return String(ok)
    })
    await expect(control.deliver(taskId, 'event', { ok: 'no' })).rejects.toMatchObject({
      reason: 'does-not-fit',
    })
    await control.deliver(taskId, 'event', { ok: true })
    await expect(control.deliver(taskId, 'event', { ok: false })).rejects.toMatchObject({
      reason: 'delivered-before',
    })
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('true')
    await expect(control.deliver(taskId, 'event', { ok: true })).rejects.toMatchObject({
      reason: 'task-is-over',
    })
  })

  it('receives a value that was delivered before it', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await go.promise
      return JSON.stringify(await ctx.waitFor('early'))
    })
    await control.deliver(taskId, 'early', [1, 2])
    go.resolve()
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('[1,2]')
  })

  it('rejects with a ToolError when nothing was delivered in time', async () => {
    const taskId = await client.start(async (ctx) => {
      await ctx.waitFor('never', { timeoutMs: 30 })
      return 'not reached'
    })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'Nothing was delivered to "never" in time.' }],
    })
  })

  it('refuses a delivery that comes after its time, while the alarm that ends it is late', async () => {
    const taskId = await client.start(async (ctx) =>
      JSON.stringify(await ctx.waitFor('paid', { timeoutMs: 60_000 })),
    )
    const stub = await objectOf(taskId)
    const setTime = (until: number) =>
      runInDurableObject(
        stub,
        (_, { storage }) => storage.sql.exec('UPDATE waits SET until = ?', until).rowsWritten,
      )
    await expect.poll(() => setTime(Date.now() - 1)).toBe(1)
    await expect(control.deliver(taskId, 'paid', 1)).rejects.toMatchObject({ reason: 'too-late' })
    await setTime(Date.now() + 60_000)
    await control.deliver(taskId, 'paid', 2)
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('2')
  })

  it('drops a value that was delivered before it and does not fit, and takes the next', async () => {
    const go = Promise.withResolvers<void>()
    const taskId = await client.start(async (ctx) => {
      await go.promise
      return JSON.stringify(await ctx.waitFor('early', { schema: EVENT }))
    })
    await control.deliver(taskId, 'early', 'nonsense')
    go.resolve()
    await expect
      .poll(() =>
        control.deliver(taskId, 'early', { ok: true }).then(
          () => 'kept',
          (e) => e.reason,
        ),
      )
      .toBe('kept')
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('{"ok":true}')
  })

  it.for([
    ['unknown-task', 'nonsense', 'event', 1],
    ['too-large', undefined, 'event', 'x'.repeat(300_000)],
  ] as const)('refuses a delivery: %s', async ([reason, id, key, value]) => {
    const taskId =
      id ?? (await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('event'))))
    await expect(control.deliver(taskId, key, value)).rejects.toMatchObject({ reason })
  })

  it('keeps at most 100 values that nothing has waited for', async () => {
    const taskId = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    await client.reaches(taskId, 'working')
    for (let n = 0; n < 100; n++) await control.deliver(taskId, `key-${n}`, n)
    await expect(control.deliver(taskId, 'one-more', 1)).rejects.toMatchObject({
      reason: 'too-many-values',
    })
    await control.deliver(taskId, 'event', 'still')
    await client.reaches(taskId, 'completed')
  })
})
