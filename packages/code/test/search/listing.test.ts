/** What the list has with `search()`, and for whom. */
// features: search
import { describe, expect, it } from 'vitest'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { answerMethod } from '../../../../src/server/mcp-server.ts'
import { connectApp } from '../../../../test/support/test-app.ts'
import { trusting } from '../../../../test/support/trusting.ts'
import { connect } from '../../../testing/src/index.ts'
import { type SearchOptions, search, TOOL_SEARCH } from '../../src/search/index.ts'
import { createShop } from './support/shop.ts'

const app = (options: SearchOptions = {}) =>
  createEdgeway(createShop(), { features: [search(options)] })

async function namesFor(options: SearchOptions = {}, client: object = {}): Promise<string[]> {
  const connected = await connect(app(options), client)
  return (await connected.listTools()).map(({ name }) => name)
}

describe('the list of a server with search()', () => {
  it.for(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const)(
    'has the tools that search and call in %s',
    async (revision) => {
      expect(await namesFor({}, { revision })).toEqual([
        'search_tools',
        'call_tool',
        'call_read_tool',
      ])
    },
  )

  it('keeps pinned tools', async () => {
    expect(await namesFor({ pinned: ['shop.weather', 'refund_order'] })).toEqual([
      'refund_order',
      'shop.weather',
      'search_tools',
      'call_tool',
      'call_read_tool',
    ])
  })

  it('has no call_read_tool where all tools that read are pinned', async () => {
    expect(await namesFor({ pinned: ['shop.weather', 'list_orders'] })).toEqual([
      'list_orders',
      'shop.weather',
      'search_tools',
      'call_tool',
    ])
  })

  it('has the tools alone where all of them are pinned', async () => {
    const pinned = ['list_orders', 'refund_order', 'shop.weather', 'delete_customer']
    expect(await namesFor({ pinned })).toEqual(['list_orders', 'refund_order', 'shop.weather'])
  })

  it('names the added tools as the author says', async () => {
    const names = { search: 'find', call: 'use', callRead: 'look' }
    expect(await namesFor({ names })).toEqual(['find', 'use', 'look'])
  })

  it.for([
    ['extensions', { extensions: { [TOOL_SEARCH]: {} } }],
    ['experimental', { experimental: { [TOOL_SEARCH]: {} } }],
  ])('is that of the author for a client that declares the extension in %s', async ([, own]) => {
    const all = ['list_orders', 'refund_order', 'shop.weather']
    expect(await namesFor({}, { capabilities: own })).toEqual(all)
  })

  it.for([false, null, 'yes'])(
    'is the short one for a client whose settings of the extension are %j',
    async (settings) => {
      const own = { experimental: { [TOOL_SEARCH]: settings } }
      expect(await namesFor({}, { capabilities: own })).toContain('search_tools')
    },
  )

  it('depends on the client as the author says, and each client gets its own', async () => {
    const edgeway = app({ listAllTo: ({ capabilities }) => capabilities.roots !== undefined })
    const listed = async (capabilities: object) =>
      (await (await connect(edgeway, { capabilities })).listTools()).length
    expect([await listed({}), await listed({ roots: {} }), await listed({})]).toEqual([3, 3, 3])
    const clients = [await connect(edgeway, { capabilities: {} })]
    expect((await clients[0]?.listTools())?.[0]?.name).toBe('search_tools')
    const other = await connect(edgeway, { capabilities: { roots: {} } })
    expect((await other.listTools())[0]?.name).toBe('list_orders')
  })

  it('announces what the added tools do', async () => {
    const tools = await (await connect(app())).listTools()
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints.search_tools).toMatchObject({ readOnlyHint: true, openWorldHint: false })
    expect(hints.call_tool).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    })
    expect(hints.call_read_tool).toMatchObject({ readOnlyHint: true, openWorldHint: true })
    const [searchTool] = tools
    // `delete_customer` has no tags; tags of a tool that some callers do not see are not named.
    expect(searchTool?.description).toContain('There are tools for: orders, payments.')
  })
})

describe('search() refuses', () => {
  it.for([
    [{ pinned: 'refund_order' }, 'search({ pinned }) must be a list of names of tools'],
    [{ pinned: ['refund_ordr'] }, 'there is no tool "refund_ordr". The nearest is "refund_order"'],
    [{ pinned: ['toString'] }, 'there is no tool "toString"'],
    [{ pin: [] }, 'There is no option search({ pin })'],
    [{ names: { find: 'x' } }, 'There is no option search({ names: { find } })'],
    [{ names: { call: 'search_tools' } }, 'must be three different names'],
    [{ names: { call: 'a tool' } }, 'Tool name "a tool": use 1 to 128'],
    [{ names: { search: 'refund_order' } }, 'Tool "refund_order" is registered'],
    [{ listAllTo: true }, 'search({ listAllTo }) must be a function'],
  ] as [SearchOptions, string][])('%j', ([options, message]) => {
    expect(() => app(options)).toThrow(message)
  })

  it('a server with a handler of tools/list', () => {
    const server = new McpServer({ name: 's', version: '1' })
    answerMethod(server, 'tools/list', () => ({ tools: [] }))
    expect(() => createEdgeway(server, { features: [search()] })).toThrow(
      'search() changes the list of tools, which a server with its own handler of tools/list cannot have',
    )
  })

  it('tags that are no list of texts', () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('one', { tags: 'billing' as never }, () => '')
    expect(() => createEdgeway(server, { features: [search()] })).toThrow(
      'Tool "one": tags must be a list of texts',
    )
  })
})

describe('a pinned tool that a factory builds for some callers alone', () => {
  it('is in the list of those, and a warning for the others', async () => {
    const warnings: string[] = []
    const edgeway = createEdgeway(({ auth }) => createShop(auth?.subject), {
      info: { name: 'shop', version: '1' },
      auth: trusting('https://shop.example.com'),
      features: [search({ pinned: ['tool_of_ada'] })],
      telemetry: (event) => {
        if (event.type === 'definition-warning') warnings.push(event.message)
      },
    })
    const listed = async (subject: string) => {
      const headers = { authorization: `Bearer ${subject}` }
      const { body } = await connectApp(edgeway).modern('tools/list', {}, { headers })
      return body.result.tools.map(({ name }: { name: string }) => name)
    }
    const added = ['search_tools', 'call_tool', 'call_read_tool']
    expect(await listed('ada')).toEqual(['tool_of_ada', ...added])
    expect(await listed('bo')).toEqual(added)
    expect(await listed('cy')).toEqual(added)
    expect(warnings).toEqual([
      'search({ pinned }): there is no tool "tool_of_ada". The nearest is "tool_of_bo"',
    ])
  })
})
