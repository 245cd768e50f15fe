/** What a task writes: the records of its steps, its messages, and what is left when it is over. */
// features: tasks
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { accept } from '../../support/accept.ts'
import {
  AUTHORIZED_AUDIENCE,
  control,
  objectOf,
  openAuthorizedTaskApp,
  recordedTaskEvents,
  taskEvents,
} from '../../support/task-server.ts'
import { tableNames } from './table-names.ts'
import { TaskClient, until } from './task-client.ts'
import { kill } from './task-object.ts'

const client = new TaskClient()

type Row = Record<string, SqlStorageValue>

async function rowsOf(taskId: string, query: string, audience = 'tasks'): Promise<Row[]> {
  return runInDurableObject(await objectOf(taskId, audience), (_, { storage }) =>
    storage.sql.exec(query).toArray(),
  )
}

const recordOf = (taskId: string, key: string) =>
  rowsOf(taskId, `SELECT kind, value FROM journal WHERE key = '${key}'`)

const tablesOf = async (taskId: string) =>
  runInDurableObject(await objectOf(taskId), (_, { storage }) => tableNames(storage.sql))

const alarmOf = async (taskId: string) =>
  runInDurableObject(await objectOf(taskId), (_, { storage }) => storage.getAlarm())

const hang = () => new Promise<void>(() => undefined)

describe('the journal of a task', () => {
  it('is read without the rows whose kind this version does not know, when the task resumes', async () => {
    let ran = 0
    const taskId = await client.start(async (ctx) => {
      const count = await ctx.step('count', () => ++ran)
      return [count, await ctx.waitFor('first'), await ctx.waitFor('second')].join(' ')
    })
    await until(() => ran === 1)
    await control.deliver(taskId, 'first', 'one')
    await rowsOf(
      taskId,
      "INSERT INTO journal (run_id, key, kind, value) VALUES ('1', 'k', 'next', 'not JSON')",
    )
    await evictDurableObject(await objectOf(taskId))
    await control.deliver(taskId, 'second', 'two')
    expect((await client.reaches(taskId, 'completed')).result.content[0].text).toBe('1 one two')
    expect(ran).toBe(1)
  })
})

describe('the record of a step', () => {
  // One of them has a pair where a part ends.
  it.each(['', 'x'])('keeps the pairs of surrogates of a long text after %j', async (start) => {
    const text = `${start}${'\u{10000}'.repeat(400_000)}`
    let results: string[] = []
    const taskId = await client.start(async (ctx) => {
      results = [...results, await ctx.step('long', () => text)]
      await ctx.waitFor('go')
      return 'done'
    })
    await until(() => results.length === 1)
    await evictDurableObject(await objectOf(taskId))
    await control.deliver(taskId, 'go', true)
    await client.reaches(taskId, 'completed')
    expect(results.map((result) => result === text)).toEqual([true, true])
  })

  it('that is idempotent is written once, with its result, and creates the table of the journal', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isRunning = false
    const taskId = await client.start(async (ctx) => {
      await ctx.step('read', { idempotent: true }, async () => {
        isRunning = true
        await promise
        return 7
      })
      await ctx.elicit({ key: 'go_on', message: 'Go on?', schema: z.object({ ok: z.boolean() }) })
      return 'done'
    })
    await until(() => isRunning)
    expect(await tablesOf(taskId)).toEqual(['task'])
    resolve()
    await client.reaches(taskId, 'input_required')
    expect(await recordOf(taskId, 'read')).toEqual([{ kind: 'step', value: '7' }])
    expect(await tablesOf(taskId)).toEqual(['task', 'journal', 'waits'])
  })

  it('that is not idempotent is written before it runs', async () => {
    let isRunning = false
    const taskId = await client.start(async (ctx) => {
      await ctx.step('pay', async () => {
        isRunning = true
        await hang()
      })
      return 'done'
    })
    await until(() => isRunning)
    expect(await recordOf(taskId, 'pay')).toEqual([{ kind: 'started', value: '1' }])
  })

  it('counts the attempts of an idempotent step over a kill', async () => {
    const attempts: number[] = []
    const taskId = await client.start(async (ctx) => {
      const options = { idempotent: true, retries: 2, backoff: { initialMs: 1 } }
      await ctx.step('flaky', options, async ({ attempt }) => {
        attempts.push(attempt)
        if (attempt === 1) throw new Error('not yet')
        if (attempts.length < 3) await hang()
      })
      return 'done'
    })
    await until(() => attempts.length === 2)
    await kill(taskId)
    await client.reaches(taskId, 'completed')
    expect(attempts).toEqual([1, 2, 2])
  })
})

describe('the results of the steps of a task', () => {
  it('have at most 4 Mi characters together, also those of earlier runs of its handler', async () => {
    const before = taskEvents.length
    let runs = 0
    const taskId = await client.start(async (ctx) => {
      runs++
      const large = () => 'x'.repeat(1_500_000)
      await ctx.step('first', large)
      await ctx.step('second', large)
      await ctx.sleep('nap', 1)
      await ctx.step('third', large)
      return 'not reached'
    })
    expect((await client.reaches(taskId, 'completed')).result.isError).toBe(true)
    expect(runs).toBe(2)
    const errors = taskEvents
      .slice(before)
      .flatMap((event) => ('error' in event ? event.error : []))
    expect(errors.map(String)).toEqual([
      expect.stringContaining('may have at most 4194304 characters'),
    ])
  })
})

describe('the status message', () => {
  it('is cut at 2000 characters', async () => {
    const taskId = await client.start(async (ctx) => {
      await ctx.progress(1, 2, 'x'.repeat(3000))
      return JSON.stringify(await ctx.waitFor('event'))
    })
    await expect.poll(async () => (await client.get(taskId)).statusMessage).toHaveLength(2000)
  })

  it('is written at most twice a second, and its last text always', async () => {
    const taskId = await client.start(async (ctx) => {
      for (let n = 1; n <= 200; n++) await ctx.progress(n, 200)
      return JSON.stringify(await ctx.waitFor('event'))
    })
    await expect.poll(async () => (await client.get(taskId)).statusMessage).toBe('200 of 200')
    const [{ version } = { version: 0 }] = await rowsOf(taskId, 'SELECT version FROM task')
    expect(version).toBeLessThan(10)
  })
})

describe('the request of a task', () => {
  it('is stored without headers that may contain a credential', async () => {
    const headers = { cookie: 'hunter2', 'x-api-key': 'hunter2', 'user-agent': 'blue' }
    const caller = new TaskClient(openAuthorizedTaskApp(), 'a-secret-token', headers)
    const taskId = await caller.start(async (ctx) => JSON.stringify(await ctx.waitFor('event')))
    const stored = JSON.stringify(await rowsOf(taskId, 'SELECT * FROM task', AUTHORIZED_AUDIENCE))
    expect(stored).toContain('user-agent: blue')
    expect(stored).not.toMatch(/Bearer|hunter2/)
  })
})

describe('a task that ends', () => {
  const statusesOf = (from: number) =>
    recordedTaskEvents.slice(from).flatMap((event) => (event.type === 'task' ? event.status : []))

  it('is reported to telemetry as completed', async () => {
    const before = recordedTaskEvents.length
    const taskId = await client.start(() => 'done')
    await client.reaches(taskId, 'completed')
    await until(() => statusesOf(before).includes('completed'))
    expect(statusesOf(before)).not.toContain('cancelled')
  })

  it('is reported to telemetry as cancelled', async () => {
    const before = recordedTaskEvents.length
    const taskId = await client.start(async () => {
      await hang()
      return 'never'
    })
    await control.cancel(taskId)
    await until(() => statusesOf(before).includes('cancelled'))
    expect(statusesOf(before)).not.toContain('failed')
  })

  it('has its next alarm at the end of its lifetime, in place of that of its handler', async () => {
    const released = Promise.withResolvers<void>()
    const taskId = await client.start(async () => {
      await released.promise
      return 'done'
    })
    const { createdAt, ttlMs } = await client.get(taskId)
    expect(await alarmOf(taskId)).toBeLessThanOrEqual(Date.now() + 10_000)
    released.resolve()
    await client.reaches(taskId, 'completed')
    expect(await alarmOf(taskId)).toBe(Date.parse(createdAt) + ttlMs)
  })
})

describe('a task that is over', () => {
  it('keeps its request and its outcome, and not its journal', async () => {
    const caller = new TaskClient(openAuthorizedTaskApp(), 'finisher')
    const stored = (query: string) => rowsOf(taskId, query, AUTHORIZED_AUDIENCE)
    const taskId = await caller.start(async (ctx) => {
      await ctx.step('long', () => 'x'.repeat(2_500_000))
      const { content } = await ctx.elicit({
        key: 'name',
        message: 'Name?',
        schema: z.object({ name: z.string() }),
      })
      return String(content?.name)
    })
    await caller.reaches(taskId, 'input_required')
    expect(await stored("SELECT 1 FROM parts WHERE owner LIKE 'journal%'")).not.toEqual([])
    await caller.answer(taskId, { 'name.1': accept({ name: 'Ada' }) })
    await caller.reaches(taskId, 'completed')
    for (const table of ['journal', 'waits', 'parts']) {
      expect(await stored(`SELECT * FROM ${table}`), table).toEqual([])
    }
  })

  it('keeps no wait that it has left open', async () => {
    const caller = new TaskClient(openAuthorizedTaskApp(), 'racer')
    const taskId = await caller.start(async (ctx) => {
      await Promise.race([ctx.waitFor('never'), ctx.sleep('nap', 20)])
      return 'done'
    })
    await caller.reaches(taskId, 'completed')
    expect(await rowsOf(taskId, 'SELECT * FROM waits', AUTHORIZED_AUDIENCE)).toEqual([])
  })
})
