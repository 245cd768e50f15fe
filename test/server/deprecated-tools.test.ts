// features: asks
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fromOpenAPI } from '../../packages/openapi/src/index.ts'
import { createMcpHandler, McpServer as SdkServer } from '../../packages/sdk/src/index.ts'
import { accept, connect, type RevisionId } from '../../packages/testing/src/index.ts'
import { asks, createEdgeway, jsonSchema, type McpServer } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openApp } from '../support/test-app.ts'

const UNTIL = '2027-01-31'
const create = (options = {}) => new FullServer({ name: 's', version: '1' }, options)

interface Listed {
  readonly name: string
  readonly description?: string
  readonly _meta?: object
}

async function toolsOf(server: McpServer<unknown>): Promise<readonly Listed[]> {
  const { body } = await openApp(server).modern('tools/list')
  return body.result.tools
}

/** Three tools; the first one is deprecated. */
function orders(deprecated: object, options = {}): FullServer {
  const server = create(options)
  const config = { description: 'Finds orders by text.', deprecated: deprecated as never }
  server.registerTool('search_orders', config, () => 'found')
  server.registerTool('find_orders', {}, () => 'found')
  server.registerTool('cancel_order', {}, () => 'cancelled')
  return server
}

describe('a deprecated tool', () => {
  it('is listed behind all others, with its replacement at the begin of its description and in _meta', async () => {
    const tools = await toolsOf(orders({ use: 'find_orders', until: UNTIL }))
    expect(tools.map(({ name }) => name)).toEqual(['find_orders', 'cancel_order', 'search_orders'])
    expect(tools.at(-1)).toMatchObject({
      description:
        'Deprecated, removed after 2027-01-31: use find_orders instead. Finds orders by text.',
      _meta: { 'edgeway/deprecated': { use: 'find_orders', until: UNTIL } },
    })
    expect(tools[0]).not.toHaveProperty('_meta')
  })

  it('answers as before, also after its date', async () => {
    const app = openApp(orders({ use: 'find_orders', until: '2020-01-01' }))
    const { body } = await app.modern('tools/call', { name: 'search_orders', arguments: {} })
    expect(body.result.content).toEqual([{ type: 'text', text: 'found' }])
  })

  it('is in no list with listed: false, and answers', async () => {
    const server = orders({ use: 'find_orders', until: UNTIL, listed: false })
    const app = openApp(server)
    const { body } = await app.modern('tools/list')
    expect(body.result.tools.map(({ name }: Listed) => name)).toEqual([
      'find_orders',
      'cancel_order',
    ])
    const called = await app.modern('tools/call', { name: 'search_orders', arguments: {} })
    expect(called.body.result.content).toEqual([{ type: 'text', text: 'found' }])
  })

  it('is on the last page, once', async () => {
    const app = openApp(orders({ use: 'find_orders', until: UNTIL }, { pageSize: 1 }))
    const names: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await app.modern('tools/list', cursor === undefined ? {} : { cursor })
      names.push(...body.result.tools.map(({ name }: Listed) => name))
      cursor = body.result.nextCursor
    } while (cursor !== undefined)
    expect(names).toEqual(['find_orders', 'cancel_order', 'search_orders'])
  })

  it('ends no list early when it was deprecated between two pages', async () => {
    const plain = create({ pageSize: 1 })
    for (const name of ['search_orders', 'find_orders', 'cancel_order']) {
      plain.registerTool(name, {}, () => '')
    }
    const before = await openApp(plain).modern('tools/list')
    const after = openApp(orders({ use: 'find_orders', until: UNTIL }, { pageSize: 1 }))
    const { body } = await after.modern('tools/list', { cursor: before.body.result.nextCursor })
    expect(body.error).toMatchObject({ code: -32602 })
  })

  it('keeps its place and its replacement in a server that includes it with a prefix', async () => {
    const whole = create()
    whole.include(orders({ use: 'find_orders', until: UNTIL }), { prefix: 'shop_' })
    whole.registerTool('last', {}, () => '')
    const tools = await toolsOf(whole)
    expect(tools.map(({ name }) => name)).toEqual([
      'shop_find_orders',
      'shop_cancel_order',
      'last',
      'shop_search_orders',
    ])
    expect(tools.at(-1)?.description).toBe(
      'Deprecated, removed after 2027-01-31: use shop_find_orders instead. Finds orders by text.',
    )
  })

  it('may be replaced by a tool of the server that includes it', async () => {
    const old = create()
    old.registerTool('old', { deprecated: { use: 'current', until: UNTIL } }, () => '')
    const whole = create().include(old, { prefix: 'v1_' })
    whole.registerTool('current', {}, () => '')
    expect((await toolsOf(whole)).map(({ description }) => description)).toEqual([
      undefined,
      'Deprecated, removed after 2027-01-31: use current instead.',
    ])
  })

  it('is announced once when two apps serve its server', async () => {
    const server = orders({ use: 'find_orders', until: UNTIL })
    const [first, second] = [await toolsOf(server), await toolsOf(server)]
    expect(second).toEqual(first)
  })
})

describe('createEdgeway with a deprecated tool', () => {
  it.each([
    [
      { use: 'find_order', until: UNTIL },
      /deprecated\.use "find_order" is no tool.*nearest is "find_orders"/,
    ],
    [{ use: 'search_orders', until: UNTIL }, /is no tool, or deprecated too/],
    [{ use: '', until: UNTIL }, /is no tool, or deprecated too/],
  ])('throws for the replacement of %j, which does not exist', (deprecated, message) => {
    expect(() => createEdgeway(orders(deprecated))).toThrow(message)
  })

  it('throws for a replacement that is deprecated itself', () => {
    const server = create()
    server.registerTool('a', { deprecated: { use: 'b', until: UNTIL } }, () => '')
    server.registerTool('b', { deprecated: { use: 'c', until: UNTIL } }, () => '')
    server.registerTool('c', {}, () => '')
    expect(() => createEdgeway(server)).toThrow(/Tool "a": deprecated\.use "b"/)
  })
})

describe('registerTool with a malformed deprecated', () => {
  const UNREAL = ['2027-02-30', '2027-13-01', '31.01.2027', '2027', '2027-1-31', 20_270_131, null]

  it.each([
    ...UNREAL.map((until) => ({ use: 'other', until })),
    { use: 'other' },
    { until: UNTIL },
    { use: 1, until: UNTIL },
    { use: 'other', until: UNTIL, listed: 'no' },
    { use: 'other', until: `${UNTIL}T00:00:00Z` },
    true,
    'other',
    null,
    [],
  ])('throws and shows the form for %j', (deprecated) => {
    expect(() => create().registerTool('t', { deprecated: deprecated as never }, () => '')).toThrow(
      "Tool \"t\": deprecated needs { use: 'another_tool', until: 'YYYY-MM-DD' }",
    )
  })
})

describe('a tool of another API that is deprecated', () => {
  it('is announced for a server of edgeway/sdk', async () => {
    const handler = createMcpHandler(() => {
      const server = new SdkServer({ name: 's', version: '1' })
      const text = async () => ({ content: [] })
      server.registerTool('old', { deprecated: { use: 'current', until: UNTIL } }, text)
      server.registerTool('current', { inputSchema: { a: z.string() } }, text)
      return server
    })
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined }
    const response = await handler.fetch(request, {}, context as never)
    const { result } = (await response.json()) as { result: { tools: readonly Listed[] } }
    expect(result.tools.map(({ name, description }) => [name, description])).toEqual([
      ['current', undefined],
      ['old', 'Deprecated, removed after 2027-01-31: use current instead.'],
    ])
  })

  it('is announced for an operation of a description with an override', async () => {
    const operation = (operationId: string, more = {}) => ({
      get: { operationId, summary: `Does ${operationId}`, responses: {}, ...more },
    })
    const server = fromOpenAPI(
      {
        openapi: '3.1.0',
        info: { title: 'shop', version: '1' },
        servers: [{ url: 'https://shop.example' }],
        paths: { '/old': operation('old', { deprecated: true }), '/new': operation('current') },
      },
      {
        deprecated: true,
        operations: { old: { deprecated: { use: 'current', until: UNTIL } } },
      },
    )
    expect((await toolsOf(server)).map(({ description }) => description)).toEqual([
      'Does current',
      'Deprecated, removed after 2027-01-31: use current instead. Does old',
    ])
  })
})

describe('telemetry of deprecated tools', () => {
  const schema = jsonSchema({ type: 'object', properties: { n: { type: 'number' } } })

  it('reports the tool and the name of the client for each call, and nothing for other tools', async () => {
    const events: object[] = []
    const server = orders({ use: 'find_orders', until: UNTIL })
    server.registerTool(
      'old_count',
      { inputSchema: schema, deprecated: { use: 'find_orders', until: UNTIL, listed: false } },
      () => '1',
    )
    const app = openApp(server, { telemetry: (event) => void events.push(event) })
    const call = (name: string, args = {}) => app.modern('tools/call', { name, arguments: args })
    await call('search_orders')
    await call('find_orders')
    await call('old_count', { n: 'not a number' })
    expect(events).toEqual([
      {
        type: 'deprecated-call',
        tool: 'search_orders',
        use: 'find_orders',
        client: expect.any(String),
      },
      {
        type: 'deprecated-call',
        tool: 'old_count',
        use: 'find_orders',
        client: expect.any(String),
      },
    ])
  })

  const recorded = async (revision: RevisionId, isAsking: boolean) => {
    const events: TelemetryEvent[] = []
    const server = create()
    server.registerTool('current', {}, () => '')
    server.registerTool('old', { deprecated: { use: 'current', until: UNTIL } }, async (ctx) => {
      if (isAsking) await ctx.elicit({ message: 'Sure?', schema: z.object({ ok: z.boolean() }) })
      return 'done'
    })
    const app = createEdgeway(server, {
      features: [asks()],
      telemetry: (event) => void events.push(event),
    })
    const client = await connect(app, {
      revision,
      env: { MCP_OBJECTS: env.MCP_OBJECTS },
      clientInfo: { name: `x\u0000${'y'.repeat(200)}`, version: '1' },
      ...(isAsking ? { elicit: () => accept({ ok: true }) } : { capabilities: {} }),
    })
    await client.callTool('old')
    await client.close()
    return events.filter(({ type }) => type === 'deprecated-call')
  }

  it('reports a call that asks once, with the name of its client, cut', async () => {
    expect(await recorded('2026-07-28', true)).toEqual([
      {
        type: 'deprecated-call',
        tool: 'old',
        use: 'current',
        client: `x\ufffd${'y'.repeat(126)}…`,
      },
    ])
  })

  it('reports a call of a client of 2025-11-25 without a session', async () => {
    expect(await recorded('2025-11-25', false)).toEqual([
      { type: 'deprecated-call', tool: 'old', use: 'current', client: '' },
    ])
  })
})
