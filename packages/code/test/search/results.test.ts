/** What a search answers: the tools with their schemas, within what the client passes on. */
// features: search, code
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createEdgeway, jsonSchema, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { search } from '../../src/search/index.ts'
import { createShop } from './support/shop.ts'

interface Found {
  readonly tools: readonly {
    readonly name: string
    readonly inputSchema: { readonly properties?: object }
    readonly outputSchema?: object
  }[]
  readonly note: string
}

const client = await connect(createEdgeway(createShop(), { features: [search()] }))

async function find(args: object, from = client): Promise<Found & { readonly text: string }> {
  const { structuredContent, text } = await from.callTool('search_tools', args)
  return { ...(structuredContent as Found), text }
}

const names = ({ tools }: Found) => tools.map(({ name }) => name)

describe('a search', () => {
  it('answers with the tools as the list would have them', async () => {
    const listed = await connect(createEdgeway(createShop()))
    const [orders] = await listed.listTools()
    const { tools } = await find({ query: 'orders of someone, newest first' })
    const { name, title, description, inputSchema, outputSchema, annotations } = orders ?? {}
    expect(tools[0]).toEqual({ name, title, description, inputSchema, outputSchema, annotations })
  })

  it('has the same tools as text, with what to do next', async () => {
    const { text, tools } = await find({ query: 'weather' })
    const [note = '', ...lines] = text.split('\n')
    expect(note).toContain('1 of 1 tools with such words')
    expect(note).toContain('Call one with call_tool { "name": "…", "arguments": { … } }.')
    expect(lines.map((line) => JSON.parse(line))).toEqual(tools)
  })

  it.for([
    ['another form of a word', 'refunding', 'refund_order'],
    ['a synonym', 'show purchases, the latest ones with their state', 'list_orders'],
    ['a choice of an argument', 'shipped', 'list_orders'],
    ['a tag', 'payments', 'refund_order'],
    ['an argument', 'cents', 'refund_order'],
    ['the exact name', 'Shop.Weather', 'shop.weather'],
  ])('finds a tool by %s', async ([, query, expected]) => {
    expect(names(await find({ query }))[0]).toBe(expected)
  })

  it('names the words that no tool has, and says that a match is weak', async () => {
    const { note } = await find({ query: 'weather for zebras and gnus tomorrow' })
    expect(note).toContain('No tool has: zebras, gnus, tomorrow. The match is weak: if no tool is')
    expect((await find({ query: 'weather' })).note).not.toMatch(/No tool has|weak/)
  })

  it('says what to do when no tool is found', async () => {
    const { tools, text } = await find({ query: 'zebra' })
    expect(tools).toEqual([])
    expect(text).toBe(
      'No tool has these words. Use others: what the tool does, and with what, such as "create an invoice".',
    )
  })

  it.for(['', '  ', '*'])('lists the first tools for the query %j', async (query) => {
    const found = await find({ query, limit: 2 })
    expect(names(found)).toEqual(['list_orders', 'refund_order'])
    expect(found.note).toContain('The query has no words: these are 2 of 3 tools.')
  })

  it.for([
    [1, 1],
    ['2', 2],
    [1_000, 3],
    [0, 3],
    [-1, 3],
    [1.9, 1],
    ['many', 3],
    [null, 3],
    [{}, 3],
  ] as [unknown, number][])('with the limit %j has %i tools', async ([limit, count]) => {
    expect((await find({ query: 'order weather', limit })).tools.length).toBe(count)
  })

  it.for([[{}], [{ query: 7 }], [{ query: ['order'] }]])(
    'refuses %j with a hint',
    async ([args]) => {
      const result = await client.callTool('search_tools', args ?? {})
      expect(result.isError).toBe(true)
      expect(result.text).toBe('"query" must be a text, such as { "query": "create an invoice" }')
    },
  )

  it('answers a hostile query in bounded time and size', async () => {
    const query = `${'order '.repeat(20_000)}${'ab'.repeat(50_000)}${'((a+)+)+'.repeat(1_000)}`
    const { text } = await find({ query })
    expect(text.length).toBeLessThan(4_000)
  })
})

describe('a search with a word in the plural', () => {
  it.for([
    ['Returns the ID of a card.', 'card IDs'],
    ['Returns a key.', 'keys'],
    ['Returns URLs.', 'url'],
    ['Returns the APIs.', 'api'],
    ['Returns fees.', 'fee'],
  ])('finds the tool that is described as %s', async ([description, query]) => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('one', { description }, () => '')
    server.registerTool('two', { description: 'Other' }, () => '')
    const own = await connect(createEdgeway(server, { features: [search()] }))
    expect(names(await find({ query }, own))).toEqual(['one'])
  })
})

describe('the words of other scripts', () => {
  it.for([
    ['café crème', 'cafe'],
    ['天気予報を取得する', '天気'],
    ['Получить погоду', 'погоду'],
  ])('find the tool that is described as %s', async ([description, query]) => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('one', { description }, () => '')
    server.registerTool('two', { description: 'Other' }, () => '')
    const own = await connect(createEdgeway(server, { features: [search()] }))
    expect(names(await find({ query }, own))).toEqual(['one'])
  })
})

describe('tools with large schemas', () => {
  const large = (count: number) =>
    jsonSchema({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `member${index}`,
          { type: 'string', description: 'What the member is for. '.repeat(10) },
        ]),
      ),
      required: ['member0'],
    })
  const server = new McpServer({ name: 'large', version: '1' })
  for (const name of ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']) {
    server.registerTool(`export_${name}`, { inputSchema: large(40) }, () => '')
  }
  server.registerTool('import_all', { inputSchema: large(600) }, () => '')
  const app = createEdgeway(server, { features: [search()] })

  it('are shortened among others, and whole alone', async () => {
    const own = await connect(app)
    const found = await find({ query: 'export', limit: 3 }, own)
    expect(found.tools.length).toBe(3)
    expect(found.note).toContain('is shortened: for the whole, search for the name alone')
    const [first] = found.tools
    expect(Object.keys(first?.inputSchema.properties ?? {}).length).toBe(40)
    expect(first?.inputSchema).toMatchObject({ required: ['member0'] })
    const alone = await find({ query: 'export_beta', limit: 1 }, own)
    expect(alone.note).not.toContain('shortened')
    expect(JSON.stringify(alone.tools[0])).toContain('What the member is for. '.repeat(10))
  })

  it.for([
    ['an unknown client', undefined, 40_000],
    ['Copilot CLI', 'github-copilot-developer', 20 * 1024],
  ] as [string, string | undefined, number][])(
    'are within what %s passes on',
    async ([, name, limit]) => {
      const clientInfo = name === undefined ? {} : { clientInfo: { name, version: '1' } }
      const own = await connect(app, clientInfo)
      const { text } = await find({ query: 'export', limit: 20 }, own)
      expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(limit)
      const huge = await find({ query: 'import_all', limit: 1 }, own)
      expect(new TextEncoder().encode(huge.text).byteLength).toBeLessThanOrEqual(limit)
      expect(names(huge)).toEqual(['import_all'])
      expect(huge.note).toContain('the whole is longer than a result may be')
    },
  )

  it('are all named, the later ones without arguments', async () => {
    const many = new McpServer({ name: 'many', version: '1' })
    for (let index = 0; index < 20; index++) {
      many.registerTool(`export_${index}`, { inputSchema: large(38) }, () => '')
    }
    const clientInfo = { name: 'github-copilot-developer', version: '1' }
    const own = await connect(createEdgeway(many, { features: [search()] }), { clientInfo })
    const { tools } = await find({ query: 'export', limit: 20 }, own)
    expect(tools.length).toBe(20)
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {}).length).toBe(38)
    expect(tools.at(-1)?.inputSchema).toEqual({ type: 'object' })
  })
})

describe('a search on a server with a deprecated tool', () => {
  it('finds the replacement, and the old tool while the list has it', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    const deprecated = { use: 'send_mail', until: '2027-01-01' }
    server.registerTool('send_mail', { inputSchema: { to: z.string() } }, () => '')
    server.registerTool('mail_old', { deprecated }, () => '')
    server.registerTool(
      'mail_older',
      { deprecated: { ...deprecated, listed: false } },
      () => 'sent',
    )
    const own = await connect(createEdgeway(server, { features: [search()] }))
    expect(names(await find({ query: 'mail' }, own)).toSorted()).toEqual(['mail_old', 'send_mail'])
    expect((await own.callTool('call_tool', { name: 'mail_older' })).text).toBe('sent')
  })
})
