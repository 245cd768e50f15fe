// features: changes
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import {
  accept,
  connect,
  type TestClient,
  type ToolResult,
} from '../../../packages/testing/src/index.ts'
import { tasks } from '../../../src/features/tasks/index.ts'
import { createEdgeway } from '../../../src/index.ts'
import { TASKS_EXTENSION } from '../../../src/protocol/tasks.ts'
import { type FullContext, FullServer } from '../../support/full-server.ts'
import {
  AUTHORIZED_HOLD_MS,
  authorizedHeldControl,
  connectAs,
  connectHeld,
  HOLD_MS,
  heldControl,
  heldEvents,
  hiddenFrom,
} from '../../support/held-server.ts'
import { keepHandler } from '../../support/session-server.ts'

const META = 'dev.edgeway/handle'
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A handler that reports, so that its call has a row at once, and goes on after the request. */
const LONG = () =>
  keepHandler(async (ctx) => {
    await ctx.progress(1)
    await ctx.sleep('long', HOLD_MS + 400)
    return 'ended'
  })

/** One that waits for an event that is delivered only by a test that says so. */
const ENDLESS = () =>
  keepHandler(async (ctx) => {
    await ctx.progress(1)
    return JSON.stringify(await ctx.waitFor('never'))
  })

const handleOf = ({ _meta }: ToolResult): string => String(_meta?.[META])

/** Waits for the result of a call, as a model does. */
async function restOf(client: TestClient, handle: string): Promise<ToolResult> {
  for (;;) {
    const result = await client.callTool('get_result', { handle })
    if (result._meta?.[META] === undefined) return result
  }
}

const UNKNOWN =
  'The call of this handle is deleted: results are kept for some time. Call the tool again.'
const FOREIGN =
  'The handle belongs to another caller, so its result cannot be read here. Call the tool again.'
const NO_HANDLE = /^This is no handle of this server/

describe.concurrent('a handle', () => {
  it.for([
    ['empty', { handle: '' }],
    ['made up', { handle: 'abc' }],
    ['no text', { handle: 7 }],
    ['of many characters', { handle: 'x'.repeat(100_000) }],
  ] as const)('that is %s is refused with what to pass', async ([, args]) => {
    const client = await connectHeld({ capabilities: {} })
    const result = await client.callTool('get_result', args)
    expect(result.isError).toBe(true)
    expect(result.text).toMatch(NO_HANDLE)
  })

  it('is accepted with spaces around it, and refused with a character too few', async () => {
    const client = await connectHeld({ capabilities: {} })
    const handle = handleOf(await client.callTool('work', LONG()))
    expect((await restOf(client, ` ${handle}\n`)).text).toBe('ended')
    const cut = await client.callTool('get_result', { handle: handle.slice(0, -1) })
    expect(cut.text).toMatch(NO_HANDLE)
  })

  it('of another person is refused', async () => {
    const ada = await connectAs('ada', { capabilities: {} })
    const handle = handleOf(await ada.callTool('work', ENDLESS()))
    const bob = await connectAs('bob', { capabilities: {} })
    const result = await bob.callTool('get_result', { handle })
    expect([result.isError, result.text]).toEqual([true, FOREIGN])
  })

  it('of another server is refused', async () => {
    const held = await connectHeld({ capabilities: {} })
    const handle = handleOf(await held.callTool('work', ENDLESS()))
    const other = new FullServer({ name: 'other', version: '1.0.0' })
    other.registerTool('work', { task: 'optional' }, () => 'done')
    const app = createEdgeway(other, { features: [tasks()] })
    const client = await connect(app, { env, capabilities: {} })
    expect((await client.callTool('get_result', { handle })).text).toMatch(NO_HANDLE)
  })

  it('asks for the scopes of the tool of its call', async () => {
    const write = await connectAs('carol write', { capabilities: {} })
    const handle = handleOf(await write.callTool('scoped', ENDLESS()))
    const read = await connectAs('carol read', { capabilities: {} })
    const refused = read.callTool('get_result', { handle })
    await expect(refused).rejects.toMatchObject({ status: 403 })
    const again = await write.callTool('get_result', { handle })
    expect(handleOf(again)).toBe(handle)
  })

  it('does not exist for a caller who does not see the tool any more', async () => {
    const dora = await connectAs('dora', { capabilities: {} })
    const handle = handleOf(await dora.callTool('hidden', ENDLESS()))
    hiddenFrom.add('dora')
    const fresh = await connectAs('dora', { capabilities: {} })
    expect((await fresh.callTool('get_result', { handle })).text).toBe(UNKNOWN)
  })

  it('of a call that the owner has cancelled says so', async () => {
    const client = await connectHeld({ capabilities: {} })
    const handle = handleOf(await client.callTool('work', ENDLESS()))
    await heldControl.cancel(handle)
    const cancelled = await client.callTool('get_result', { handle })
    expect([cancelled.isError, cancelled.text]).toEqual([
      true,
      'The call was cancelled. Call the tool again if its result is still wanted.',
    ])
  })

  it('of a call whose lifetime is over says that it is deleted', async () => {
    const client = await connectHeld({ capabilities: {} })
    const handle = handleOf(await client.callTool('brief', ENDLESS()))
    await vi.waitFor(
      async () => {
        const result = await client.callTool('get_result', { handle })
        expect([result.isError, result.text]).toEqual([true, UNKNOWN])
      },
      { timeout: 20_000, interval: 200 },
    )
  })

  it('is also the id of a task for a client with tasks of the same person', async () => {
    const without = await connectAs('erin', { capabilities: {} })
    const handle = handleOf(await without.callTool('work', ENDLESS()))
    const extensions = { [TASKS_EXTENSION]: {} }
    const withTasks = await connectAs('erin', { capabilities: { extensions } })
    const state = await withTasks.request('tasks/get', { taskId: handle })
    expect(state.status).toBe('working')
  })

  it('of a call of 2026-07-28 returns the result in the form of an earlier revision', async () => {
    const modern = await connectHeld({ capabilities: {} })
    const handle = handleOf(await modern.callTool('work', LONG()))
    const client = await connectHeld({ revision: '2025-06-18', capabilities: {} })
    const rest = await restOf(client, handle)
    expect(rest).toEqual({ content: [{ type: 'text', text: 'ended' }] })
  })

  it.for([
    ['tasks/get', { taskId: 'any' }],
    ['subscriptions/listen', { notifications: { taskIds: ['any'] } }],
  ] as const)(
    'is what the error of %s names for a client without tasks',
    async ([method, params]) => {
      const client = await connectHeld({ capabilities: {} })
      await expect(client.request(method, params)).rejects.toMatchObject({
        code: -32021,
        message: expect.stringMatching(
          /Clients that declare it: Claude Code and MCP Inspector\. Without it, call get_result with the id of the task as its handle\./,
        ),
      })
    },
  )

  it('is used by two requests at once, and both have the result', async () => {
    const client = await connectHeld({ capabilities: {} })
    const handle = handleOf(await client.callTool('work', LONG()))
    const both = await Promise.all([restOf(client, handle), restOf(client, handle)])
    expect(both.map(({ text }) => text)).toEqual(['ended', 'ended'])
  })

  it('is the answer in a session when the person does not answer in time, and the work goes on', async () => {
    const options = { revision: '2025-11-25', capabilities: { elicitation: {} } } as const
    const never = () => new Promise<never>(() => undefined)
    const mute = await connectAs('ivy', { ...options, elicit: never })
    const schema = z.object({ ok: z.boolean() })
    const script = keepHandler(async (ctx) => {
      await ctx.progress(1)
      const { action } = await ctx.elicit({ message: 'Sure?', schema })
      return action
    })
    const rest = await mute.callTool('work', script)
    expect(rest.text).toMatch(/^work waits for an answer of the person: "Sure\?".+to ask again\.\n/)
    const willing = await connectAs('ivy', { ...options, elicit: () => accept({ ok: true }) })
    const handle = handleOf(rest)
    expect((await restOf(willing, handle)).text).toBe('accept')
  })

  it('is answered in the time of its request when the handler asks late in a session', async () => {
    const options = {
      revision: '2025-11-25',
      capabilities: { elicitation: {} },
      elicit: () => accept({ ok: true }),
    } as const
    const client = await connectAs('fay', options)
    const begun = Promise.withResolvers<string>()
    const script = keepHandler(async (ctx) => {
      await ctx.progress(1)
      begun.resolve(String(ctx.task?.id))
      await ctx.step('work', () => wait(AUTHORIZED_HOLD_MS - 300))
      await ctx.elicit({ message: 'Sure?', schema: z.object({ ok: z.boolean() }) })
      return JSON.stringify(await ctx.waitFor('never'))
    })
    const first = client.callTool('work', script)
    const handle = await begun.promise
    const startedAt = Date.now()
    const rest = await client.callTool('get_result', { handle })
    expect(handleOf(rest)).toBe(handle)
    expect(Date.now() - startedAt).toBeLessThan(2 * AUTHORIZED_HOLD_MS - 500)
    expect(handleOf(await first)).toBe(handle)
  })
})

describe('the list of tools', () => {
  const names = async (options: Parameters<typeof connectHeld>[0]) =>
    (await (await connectHeld(options)).listTools()).map(({ name }) => name)

  it('has get_result for clients without tasks alone', async () => {
    const extensions = { [TASKS_EXTENSION]: {} }
    expect(await names({ capabilities: {} })).toContain('get_result')
    expect(await names({ capabilities: { extensions } })).not.toContain('get_result')
    expect(await names({ revision: '2025-11-25', capabilities: {} })).toContain('get_result')
    expect(await names({ revision: '2025-11-25', capabilities: { tasks: {} } })).not.toContain(
      'get_result',
    )
    expect(await names({ as: 'claude' })).toContain('get_result')
  })

  it('has an output schema of a tool that may answer with a handle for clients with tasks alone', async () => {
    const schemaOf = async (options: Parameters<typeof connectHeld>[0]) => {
      const tools = await (await connectHeld(options)).listTools()
      return tools.find(({ name }) => name === 'typed')?.outputSchema
    }
    expect(await schemaOf({ capabilities: {} })).toBeUndefined()
    const extensions = { [TASKS_EXTENSION]: {} }
    expect(await schemaOf({ capabilities: { extensions } })).toMatchObject({ type: 'object' })
  })

  it('does not depend on the name of the client', async () => {
    const own = await names({ capabilities: {} })
    const named = await names({
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '1' },
    })
    expect(named).toEqual(own)
  })

  it('has no get_result without a tool with optional tasks, or where the author switches it off', async () => {
    const listed = async (server: FullServer, feature: ReturnType<typeof tasks>) => {
      const app = createEdgeway(server, { features: [feature] })
      return (await (await connect(app, { env, capabilities: {} })).listTools()).map(
        ({ name }) => name,
      )
    }
    const serverWith = (task: 'optional' | 'required') => {
      const server = new FullServer({ name: 'listed', version: '1.0.0' })
      server.registerTool('work', { task }, () => 'done')
      return server
    }
    expect(await listed(serverWith('required'), tasks())).toEqual([])
    expect(await listed(serverWith('optional'), tasks({ resultTool: false }))).toEqual(['work'])
    expect(await listed(serverWith('optional'), tasks({ resultTool: 'fetch_rest' }))).toEqual([
      'work',
      'fetch_rest',
    ])
  })

  it('is refused at construction where the author has a tool of that name', () => {
    const server = new FullServer({ name: 'taken', version: '1.0.0' })
    server.registerTool('work', { task: 'optional' }, () => 'done')
    server.registerTool('get_result', {}, () => 'own')
    expect(() => createEdgeway(server, { features: [tasks()] })).toThrow(
      'Tool "get_result" is registered, and a feature adds one of this name: rename one',
    )
  })
})

describe('structured content of a held call', () => {
  it('is that of the tool, at once and by get_result', async () => {
    const client = await connectHeld({ capabilities: {} })
    const quick = await client.callTool(
      'typed',
      keepHandler(() => ({ total: 1 }) as never),
    )
    expect(quick.structuredContent).toEqual({ total: 1 })
    const script = keepHandler(async (ctx) => {
      await ctx.progress(1)
      await ctx.sleep('long', HOLD_MS + 300)
      return { total: 2 } as never
    })
    const held = await client.callTool('typed', script)
    expect(held.structuredContent).toBeUndefined()
    const rest = await restOf(client, handleOf(held))
    expect(rest).toMatchObject({
      structuredContent: { total: 2 },
      content: [{ text: '{"total":2}' }],
    })
  })
})

describe.concurrent('a held call that its client abandons', () => {
  const statusOf = async (id: string) => (await heldControl.get(id))?.status

  it.for(['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'] as const)(
    'is cancelled before it has a handle (%s)',
    async (revision) => {
      const client = await connectHeld({ revision, capabilities: {} })
      let id = ''
      const script = keepHandler(async (ctx) => {
        id = String(ctx.task?.id)
        await ctx.progress(1)
        return JSON.stringify(await ctx.waitFor('never'))
      })
      const abort = new AbortController()
      const called = client.callTool('work', script, {
        signal: abort.signal,
        onProgress: () => abort.abort(new Error('left')),
      })
      await expect(called).rejects.toThrow('left')
      await vi.waitFor(async () => expect(await statusOf(id)).toBe('cancelled'))
    },
  )

  it('is cancelled while its question is open in a session', async () => {
    let id = ''
    const abort = new AbortController()
    const client = await connectHeld({
      revision: '2025-11-25',
      capabilities: { elicitation: {} },
      elicit: () => {
        abort.abort(new Error('left'))
        return accept({ ok: true })
      },
    })
    const script = keepHandler(async (ctx) => {
      id = String(ctx.task?.id)
      await ctx.progress(1)
      await ctx.step('pause', () => wait(50))
      await ctx.elicit({ message: 'Sure?', schema: z.object({ ok: z.boolean() }) })
      return JSON.stringify(await ctx.waitFor('never'))
    })
    const called = client.callTool('work', script, { signal: abort.signal })
    await expect(called).rejects.toThrow('left')
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('cancelled'))
  })

  it('is cancelled when its session ends while its question is open', async () => {
    let id = ''
    const asked = Promise.withResolvers<void>()
    const client = await connectHeld({
      revision: '2025-11-25',
      capabilities: { elicitation: {} },
      elicit: () => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const script = keepHandler(async (ctx) => {
      id = String(ctx.task?.id)
      await ctx.progress(1)
      await ctx.step('pause', () => wait(50))
      return (await ctx.elicit({ message: 'Sure?', schema: z.object({ ok: z.boolean() }) })).action
    })
    const called = client.callTool('work', script).catch(() => undefined)
    await asked.promise
    await client.close()
    await called
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('cancelled'))
  })

  it.for(['2026-07-28', '2025-11-25'] as const)(
    'goes on when get_result is cancelled (%s)',
    async (revision) => {
      const client = await connectHeld({ revision, capabilities: {} })
      const handle = handleOf(await client.callTool('work', ENDLESS()))
      const abort = new AbortController()
      const called = client.callTool('get_result', { handle }, { signal: abort.signal })
      setTimeout(() => abort.abort(new Error('left')), 100)
      await expect(called).rejects.toThrow('left')
      await wait(100)
      expect(await statusOf(handle)).toBe('working')
      await heldControl.deliver(handle, 'never', 1)
      expect((await client.callTool('get_result', { handle })).text).toBe('1')
    },
  )
})

describe('a get_result that follows one that was cancelled', () => {
  it('receives the progress of the call, in a session', async () => {
    const client = await connectHeld({ revision: '2025-11-25', capabilities: {} })
    const goOn = Promise.withResolvers<void>()
    const script = keepHandler(async (ctx) => {
      await ctx.progress(1)
      await ctx.step('held', () => goOn.promise)
      for (let n = 2; n <= 8; n++) {
        await ctx.progress(n)
        await wait(60)
      }
      return 'ended'
    })
    const handle = handleOf(await client.callTool('work', script))
    const abort = new AbortController()
    const cancelled = client.callTool('get_result', { handle }, { signal: abort.signal })
    setTimeout(() => abort.abort(new Error('left')), 100)
    await expect(cancelled).rejects.toThrow('left')
    const received: number[] = []
    const onProgress = ({ progress }: { progress: number }) => received.push(progress)
    const rest = client.callTool('get_result', { handle }, { onProgress })
    setTimeout(() => goOn.resolve(), 200)
    expect((await rest).text).toBe('ended')
    expect(received.slice(-5)).toEqual([4, 5, 6, 7, 8])
  })
})

describe('a held call at the limit of tasks', () => {
  it.for(['2026-07-28', '2025-11-25'] as const)(
    'is served in its request, without a task (%s)',
    async (revision) => {
      const subject = `hoarder-${revision}`
      const extensions = { [TASKS_EXTENSION]: {} }
      const hoarder = await connectAs(subject, { capabilities: { extensions } })
      for (let n = 0; n < 20; n++) {
        await hoarder.request('tools/call', { name: 'only', arguments: ENDLESS() })
      }
      const client = await connectAs(subject, { revision, capabilities: {} })
      const script = keepHandler(async (ctx) => {
        await ctx.sleep('nap', 30)
        return `task ${ctx.task?.id}`
      })
      expect((await client.callTool('work', script)).text).toBe('task undefined')
      // A delivery from the handler itself does not wait for its end.
      const delivering = keepHandler(async (ctx) => {
        const id = String(ctx.task?.id)
        return ctx.step('deliver', () =>
          authorizedHeldControl.deliver(id, 'key', 1).then(
            () => 'delivered',
            (error: Error) => error.message,
          ),
        )
      })
      expect((await client.callTool('work', delivering)).text).toBe(
        'There is no such task, or it has expired',
      )
    },
  )
})

describe('telemetry of a call of a tool with optional tasks', () => {
  const failed = { content: [], isError: true }
  it.for([
    ['at once', {}, () => failed],
    ['at once to a client with tasks', { extensions: { [TASKS_EXTENSION]: {} } }, () => failed],
    [
      'after its first moments',
      {},
      async (ctx: FullContext) => {
        await ctx.progress(1)
        return failed
      },
    ],
  ] as const)(
    'has the outcome tool-error of a tool that reports an error %s',
    async ([, capabilities, handler]) => {
      heldEvents.length = 0
      const client = await connectHeld({ capabilities })
      await client.request('tools/call', { name: 'brief', arguments: keepHandler(handler) })
      await vi.waitFor(() =>
        expect(heldEvents).toContainEqual(
          expect.objectContaining({ type: 'request', name: 'brief', outcome: 'tool-error' }),
        ),
      )
    },
  )
})
