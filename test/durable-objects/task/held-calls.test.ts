/** Calls of tools with optional tasks by clients without tasks, in every era: the request holds them, and `get_result` waits. */
// features: tasks, sessions
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { TaskObject } from '../../../durable-objects/task/task-object.ts'
import {
  accept,
  type ClientOptions,
  type TestClient,
  type ToolResult,
} from '../../../packages/testing/src/index.ts'
import { MAX_OPEN } from '../../../src/features/asks/journal/suspender.ts'
import { openTaskId } from '../../../src/features/tasks/task-ids.ts'
import { connectHeld, HOLD_MS, heldApp, heldControl } from '../../support/held-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { objectsOfKind, testSealer } from '../../support/objects.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { readMessage } from '../../support/sse-reader.ts'
import { connectApp, ENDPOINT } from '../../support/test-app.ts'

/** Longer than one request holds a call. */
const LONG_MS = HOLD_MS + 300

const META = 'dev.edgeway/handle'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const handleOf = ({ _meta, text }: ToolResult): string => {
  const handle = String(_meta?.[META])
  expect(text).toContain(`handle: ${handle}`)
  return handle
}

const CAN_ASK = { elicitation: { form: {} }, sampling: {}, roots: {} }

/** Clients without tasks, of every era. */
const CLIENTS: readonly (readonly [string, ClientOptions<unknown>])[] = [
  ['2026-07-28', { revision: '2026-07-28', capabilities: CAN_ASK }],
  ['2025-11-25', { revision: '2025-11-25', capabilities: CAN_ASK }],
  ['2025-06-18', { revision: '2025-06-18', capabilities: CAN_ASK }],
  ['2025-03-26', { revision: '2025-03-26', capabilities: CAN_ASK }],
  ['2024-11-05', { revision: '2024-11-05', capabilities: CAN_ASK }],
  ['2025-11-25 without a session', { as: 'claude' }],
]

const call = async (options: ClientOptions<unknown>, handler: Handler, tool = 'work') => {
  const client = await connectHeld(options)
  return { client, result: await client.callTool(tool, keepHandler(handler)) }
}

/** Waits for the result, as a model does. On a busy machine, a call takes longer than the time of one request. */
async function restOf(client: TestClient, result: ToolResult): Promise<ToolResult> {
  let rest = result
  while (rest._meta?.[META] !== undefined) {
    rest = await client.callTool('get_result', { handle: handleOf(rest) })
  }
  return rest
}

/** The object of a held call. */
async function objectOf(handle: string) {
  const opened = await openTaskId(testSealer(), 'held', handle)
  if (opened === undefined) throw new TypeError('The handle does not open')
  return objectsOfKind<TaskObject>('task', 'held').named(opened.name)
}

const kill = async (handle: string) => {
  const stub = await objectOf(handle)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

it.concurrent.for(['2025-06-18', '2025-03-26', '2024-11-05'])(
  'a call of a client that declares tasks in revision %s, which has none, is held',
  async (version, { expect }) => {
    const { fetch } = connectApp(heldApp, env)
    const endpoint = { url: ENDPOINT, fetch }
    const session = await HttpSession.open(endpoint, { version, capabilities: { tasks: {} } })
    const { result } = await session.request('tools/list')
    const names = result?.tools.map(({ name }: { name: string }) => name)
    expect(names).toContain('get_result')
    const handler: Handler = (ctx) => ctx.waitFor('event').then(String)
    const held = await readMessage(await session.callTool('work', keepHandler(handler)))
    expect(held.result?.content[0].text).toContain('Call get_result with this handle')
  },
)

describe.concurrent.for(CLIENTS)('a held call of %s', ([name, options]) => {
  const hasSession = !name.includes('without')

  it('answers with its result when it ends within the time', async () => {
    const quick = await call(options, () => 'quick')
    expect(quick.result.text).toBe('quick')
    expect(quick.result._meta?.[META]).toBeUndefined()
    const slow = await call(options, async ({ progress }) => {
      await progress(1)
      await wait(50)
      return 'slow'
    })
    expect(slow.result.text).toBe('slow')
  })

  it('answers with a handle at the end of the time, and get_result with the result', async () => {
    const { client, result } = await call(options, async (ctx) => {
      await ctx.progress(3, 10, 'counting')
      await wait(LONG_MS)
      return {
        content: [
          { type: 'text' as const, text: 'done' },
          { type: 'text' as const, text: 'twice' },
        ],
        isError: true,
        _meta: { 'com.example/own': 1 },
      }
    })
    const handle = handleOf(result)
    expect(result.isError).toBeUndefined()
    expect(result.text).toContain('work has not ended yet')
    expect(result.text).toContain('get_result')
    expect(result.text).toContain('progress: 3 of 10: counting')
    let rest = await client.callTool('get_result', { handle })
    while (rest._meta?.[META] !== undefined) {
      expect(handleOf(rest)).toBe(handle)
      rest = await client.callTool('get_result', { handle })
    }
    expect(rest).toMatchObject({
      content: [
        { type: 'text', text: 'done' },
        { type: 'text', text: 'twice' },
      ],
      isError: true,
      _meta: { 'com.example/own': 1 },
    })
    const second = await client.callTool('get_result', { handle })
    expect([second.isError, second.text]).toEqual([
      true,
      expect.stringMatching(/was returned before, at 2\d{3}-.+Z\..+pass "again": true/),
    ])
    // An answer may have been lost.
    const again = await client.callTool('get_result', { handle, again: true })
    expect(again.text).toBe('done\ntwice')
  })

  it('sends the progress and the log messages of the handler while it is held', async () => {
    const { client, result } = await call(
      { ...options, ...(hasSession && { logLevel: 'info' as const }) },
      async (ctx) => {
        await ctx.progress(1, 3)
        await ctx.log('warning', 'first')
        await wait(20)
        await ctx.progress(2, 3)
        await ctx.log('debug', 'not asked for')
        await wait(20)
        return 'done'
      },
    )
    expect((await restOf(client, result)).text).toBe('done')
    expect(client.progress.map(({ progress }) => progress)).toEqual([1, 2])
    expect(client.logs.map(({ data }) => data)).toEqual(['first'])
  })

  it('goes on after a kill of its object, within the request and after it', async () => {
    const runs = { once: 0, twice: 0 }
    let id = ''
    const handler = keepHandler(async (ctx) => {
      id = String(ctx.task?.id)
      await ctx.progress(1)
      await ctx.progress(2)
      await ctx.step('once', () => ++runs.once)
      await wait(HOLD_MS)
      await ctx.step('twice', () => ++runs.twice)
      await wait(100)
      return 'survived'
    })
    const client = await connectHeld(options)
    const held = client.callTool('work', handler)
    await vi.waitFor(() => expect(runs.once).toBe(1))
    await wait(100)
    await kill(id)
    const handle = handleOf(await held)
    expect(handle).toBe(id)
    // The handler has run again, and progress must increase.
    expect(client.progress.map(({ progress }) => progress)).toEqual([1, 2])
    await kill(handle)
    const rest = await restOf(client, await client.callTool('get_result', { handle }))
    expect(rest.text).toBe('survived')
    expect(runs).toEqual({ once: 1, twice: 1 })
  })

  it('sleeps and receives what the author delivers, by its id in ctx.task', async () => {
    let id = ''
    const { client, result } = await call(options, async (ctx) => {
      id = String(ctx.task?.id)
      await ctx.progress(1)
      await ctx.sleep('nap', 20)
      await ctx.step('deliver', () => heldControl.deliver(id, 'paid', 7))
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    expect((await restOf(client, result)).text).toBe('7')
  })

  it('rejects as the tool does', async () => {
    const { client, result } = await call(options, async () => {
      await wait(LONG_MS)
      throw new Error('secret')
    })
    const rest = await restOf(client, result)
    expect(rest.isError).toBe(true)
    expect(rest.text).toMatch(/^Tool work failed \(reference /)
  })
})

describe('a held call whose object is killed in its first moments', () => {
  it.for(['2026-07-28', '2025-11-25'] as const)(
    'answers that it was interrupted (%s)',
    async (revision) => {
      const handler = keepHandler(async (ctx) => {
        await kill(String(ctx.task?.id))
        return 'lost'
      })
      const client = await connectHeld({ revision, capabilities: {} })
      const result = await client.callTool('work', handler)
      expect(result.isError).toBe(true)
      expect(result.text).toMatch(/^The server was interrupted while this call was running/)
    },
  )
})

const SURE = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

describe.concurrent.for(CLIENTS.filter(([name]) => !name.includes('without')))(
  'a held call that asks, of %s',
  ([, options]) => {
    const answers = { ...options, elicit: () => accept({ ok: true }) }

    it('asks in its first moments with the journal of the request', async () => {
      const ids: string[] = []
      let steps = 0
      const { client, result } = await call(answers, async (ctx) => {
        ids.push(String(ctx.task?.id))
        await ctx.step('once', () => ++steps)
        const { action } = await ctx.elicit(SURE)
        return action
      })
      expect(result.text).toBe('accept')
      expect(client.asks).toHaveLength(1)
      expect(steps).toBe(1)
      expect(new Set(ids).size).toBe(1)
    })

    it('asks later through the request that holds it', async () => {
      let steps = 0
      const { client, result } = await call(answers, async (ctx) => {
        await ctx.progress(1)
        await ctx.step('once', async () => {
          await wait(100)
          return ++steps
        })
        const { action } = await ctx.elicit(SURE)
        await ctx.elicit({ ...SURE, key: 'other' })
        return action
      })
      expect(result.text).toBe('accept')
      expect(client.asks).toHaveLength(2)
      expect(steps).toBe(1)
    })

    it('asks through get_result', async () => {
      const { client, result } = await call(answers, async (ctx) => {
        await ctx.step('long', () => wait(LONG_MS))
        const [one, other] = await Promise.all([
          ctx.elicit(SURE),
          ctx.elicit({ ...SURE, key: 'other' }),
        ])
        await ctx.step('after', () => wait(50))
        return `${one.action} ${other.action}`
      })
      expect((await restOf(client, result)).text).toBe('accept accept')
      expect(client.asks).toHaveLength(2)
    })

    it('says what is asked when another client, which cannot be asked, waits for it', async () => {
      const { result } = await call(answers, async (ctx) => {
        await ctx.step('long', () => wait(HOLD_MS + 3000))
        return (await ctx.elicit(SURE)).action
      })
      const handle = handleOf(result)
      const mute = await connectHeld({ ...options, capabilities: {} })
      let rest = await mute.callTool('get_result', { handle })
      // On a busy machine, the step takes longer than one request waits.
      while (rest.text.includes('goes on')) rest = await mute.callTool('get_result', { handle })
      expect(handleOf(rest)).toBe(handle)
      expect(rest.text).toContain('waits for an answer of the person: "Sure?"')
      expect(rest.text).toContain('This client cannot be asked')
    })
  },
)

const IN_SESSIONS = CLIENTS.filter(([name]) => !/2026|without/.test(name))

it.concurrent.for(IN_SESSIONS)(
  'a held call of %s has the result of a handler that goes on without the answer',
  async ([, options], { expect }) => {
    const mute = { ...options, elicit: () => new Promise<never>(() => undefined) }
    const { client, result } = await call(mute, async (ctx) => {
      await ctx.progress(1)
      const late = ctx.sleep('deadline', 500).then(() => 'late')
      return Promise.race([ctx.elicit(SURE).then(({ action }) => action), late])
    })
    expect((await restOf(client, result)).text).toBe('late')
  },
)

it('a held call in a session goes on as soon as a question is answered, each time', async () => {
  const options = {
    revision: '2025-11-25',
    capabilities: { elicitation: {} },
    elicit: () => accept({ ok: true }),
  } as const
  const begun = Date.now()
  const { client, result } = await call(options, async (ctx) => {
    await ctx.progress(1)
    await ctx.step('pause', () => wait(50))
    for (let count = 0; count < 8; count++) await ctx.elicit({ ...SURE, key: `sure-${count}` })
    return 'asked'
  })
  expect((await restOf(client, result)).text).toBe('asked')
  // The task is read again 2 seconds after each question.
  expect(Date.now() - begun).toBeLessThan(10_000)
})

it('a held call in a session asks as many questions at once as a task may', async () => {
  const options = {
    revision: '2025-11-25',
    capabilities: { elicitation: {} },
    elicit: () => accept({ ok: true }),
  } as const
  const { client, result } = await call(options, async (ctx) => {
    await ctx.progress(1)
    await ctx.step('pause', () => wait(50))
    const keys = Array.from({ length: MAX_OPEN }, (_, index) => `sure-${index}`)
    const answers = await Promise.all(keys.map((key) => ctx.elicit({ ...SURE, key })))
    return String(answers.filter(({ action }) => action === 'accept').length)
  })
  expect((await restOf(client, result)).text).toBe(String(MAX_OPEN))
})

describe.concurrent.for(CLIENTS.filter(([name]) => !name.startsWith('2025-11-25')))(
  'a client of %s, which has no params.task',
  ([, options]) => {
    it('is answered with a handle although it sends the member', async () => {
      const client = await connectHeld(options)
      const endless = keepHandler(async (ctx) => JSON.stringify(await ctx.waitFor('never')))
      const params = { name: 'work', arguments: endless, task: {} }
      const { _meta } = await client.request('tools/call', params)
      expect(_meta).toHaveProperty([META])
    })
  },
)
