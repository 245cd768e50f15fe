/** A call whose answer was lost: `get_result` without a handle, and a request that asks for its own hold. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import {
  type ClientOptions,
  connect,
  type TestClient,
  type ToolResult,
} from '../../../packages/testing/src/index.ts'
import {
  AUTHORIZED_HOLD_MS,
  authorizedHeldApp,
  authorizedHeldControl,
  connectAs,
  connectHeld,
  hiddenFrom,
} from '../../support/held-server.ts'
import { keepHandler } from '../../support/session-server.ts'

interface Listed {
  readonly tool: string
  readonly status: string
  readonly handle: string
}

const listedBy = ({ _meta }: ToolResult) =>
  ((_meta as Record<string, readonly Listed[]>)['dev.edgeway/calls'] ?? []).map((call) => call)

const NONE = /^No call of yours goes on/

/** A handler that reports, so that its call has a row at once, and waits for an event. */
const waiting = () =>
  keepHandler(async (ctx) => {
    await ctx.progress(1)
    return String(await ctx.waitFor('go'))
  })

/** Abandons a call as a client does whose connection breaks, in an era in which the work then goes on. */
async function abandon(client: TestClient, tool: string): Promise<void> {
  void client.callTool(tool, waiting()).catch(() => undefined)
  await vi.waitFor(async () => {
    const other = await client.callTool('get_result', {})
    expect(listedBy(other).map((call) => call.tool)).toContain(tool)
  })
}

const SESSION: ClientOptions<unknown> = { revision: '2025-06-18', capabilities: {} }
const MODERN: ClientOptions<unknown> = { revision: '2026-07-28', capabilities: {} }

describe.concurrent('get_result without a handle', () => {
  it.for([SESSION, MODERN])('lists the calls that go on, of $revision', async (options) => {
    const subject = `lost-${options.revision}`
    const client = await connectAs(subject, options)
    expect((await client.callTool('get_result', {})).text).toMatch(NONE)
    await abandon(client, 'work')
    const found = await client.callTool('get_result', { handle: null })
    const [call] = listedBy(found)
    expect(call).toMatchObject({ tool: 'work', status: 'working' })
    expect(found.text).toContain(`goes on`)
    expect(found.text).toContain(`handle: ${call?.handle}`)
    await authorizedHeldControl.deliver(String(call?.handle), 'go', 'done')
    const result = await client.callTool('get_result', { handle: call?.handle })
    expect(result.text).toBe('done')
  })

  it('lists an ended call until its result is fetched, and for an hour after it was sent', async () => {
    const client = await connectAs('lost-ended', SESSION)
    const { _meta } = await client.callTool('work', waiting())
    const [call] = listedBy(await client.callTool('get_result', {}))
    expect(_meta).toEqual({ 'dev.edgeway/handle': call?.handle })
    await authorizedHeldControl.deliver(String(call?.handle), 'go', 'done')
    const later = await connectAs('lost-ended', MODERN)
    await vi.waitFor(async () => {
      const listed = listedBy(await later.callTool('get_result', {}))
      expect(listed[0]).toMatchObject({ status: 'completed', handle: call?.handle })
    })
    const again = await later.callTool('get_result', { handle: call?.handle, again: true })
    expect(again.text).toBe('done')
    expect((await later.callTool('get_result', {})).text).toMatch(
      /its result was sent .*"again": true/,
    )
  })

  it('lists a call that its client has cancelled, and says so', async () => {
    const client = await connectAs('lost-cancelled', SESSION)
    await abandon(client, 'work')
    const [call] = listedBy(await client.callTool('get_result', {}))
    await authorizedHeldControl.cancel(String(call?.handle))
    const found = await client.callTool('get_result', {})
    expect(listedBy(found)[0]).toMatchObject({ status: 'cancelled' })
    expect(found.text).toMatch(/cancelled \d{4}-.*Check what it has done/)
  })

  it('lists no call of another person, and none of a tool that the caller does not see any more', async () => {
    const client = await connectAs('lost-hidden', SESSION)
    await abandon(client, 'hidden')
    const other = await connectAs('lost-other', SESSION)
    expect((await other.callTool('get_result', {})).text).toMatch(NONE)
    hiddenFrom.add('lost-hidden')
    expect((await client.callTool('get_result', {})).text).toMatch(NONE)
  })

  it('lists twenty, the newest first', async () => {
    const client = await connectAs('lost-many', SESSION)
    for (let count = 0; count < 20; count++) {
      void client.callTool('work', waiting()).catch(() => undefined)
    }
    await vi.waitFor(async () => {
      expect(listedBy(await client.callTool('get_result', {}))).toHaveLength(20)
    })
  })

  it('needs to know who calls', async () => {
    const client = await connectHeld(MODERN)
    const result = await client.callTool('get_result', {})
    expect(result.isError).toBe(true)
    expect(result.text).toMatch(/does not know who calls/)
  })
})

describe.concurrent('the instructions', () => {
  it('name get_result to clients without tasks alone', async () => {
    const without = await connectHeld(MODERN)
    expect(without.instructions).toMatch(/call get_result without a handle/)
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const withTasks = await connectHeld({ ...MODERN, capabilities: tasks })
    expect(withTasks.instructions).toBeUndefined()
  })
})

/** Longer than the server holds a call by itself. */
const LONGER_MS = AUTHORIZED_HOLD_MS + 1500

describe.concurrent('a hold', () => {
  /** The time after which a call that waits is answered with its handle. */
  async function heldFor(path: string, meta?: object): Promise<number> {
    const at = (url: string) => new URL(url)
    const target = {
      fetch: (request: Request, ...rest: readonly unknown[]) => {
        const url = at(request.url)
        url.search = path
        return (authorizedHeldApp.fetch as (...given: unknown[]) => unknown)(
          new Request(url, request),
          ...rest,
        )
      },
    }
    const subject = `hold-${path}-${JSON.stringify(meta ?? {})}`
    const client = await connect(target as never, { env, token: subject, ...MODERN } as never)
    const began = Date.now()
    const result = await client.request('tools/call', {
      name: 'work',
      arguments: waiting(),
      ...(meta && { _meta: meta }),
    })
    expect(JSON.stringify(result)).toContain('handle: ')
    return Date.now() - began
  }

  it.for([
    ['of the URL', `?hold=${LONGER_MS / 1000}`, undefined],
    ['of the request', '', { 'dev.edgeway/holdMs': LONGER_MS }],
    ['of the request before that of the URL', '?hold=0.1', { 'dev.edgeway/holdMs': LONGER_MS }],
  ] as const)('%s is kept', async ([, path, meta]) => {
    expect(await heldFor(path, meta)).toBeGreaterThanOrEqual(LONGER_MS)
  })

  it.for(['?hold=abc', '?hold=', '?hold=-1', '?hold=0', '?hold=1e999'])(
    '%s is refused with what to write',
    async (path) => {
      await expect(heldFor(path)).rejects.toThrow(/hold in the URL is the number of seconds/)
    },
  )
})
