/** `search()` and `code()` beside `apps()`: views get their tools in the list, and the model gets none that is for views alone. */
// features: search, code, apps
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { apps, view } from '../../../../src/features/apps/index.ts'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'
import { search } from '../../src/search/index.ts'

const server = new McpServer({ name: 'bills', version: '1.0.0' })
const uri = 'ui://bills/bill'
const READS = { readOnlyHint: true }
server.registerTool(
  'show_bill',
  { annotations: READS, ui: view({ uri, html: '<!doctype html><title>Bill</title>' }) },
  () => 'a bill',
)
server.registerTool(
  'pay_bill_now',
  { tags: ['clicks'], ui: view({ uri, visibility: ['app'] }) },
  () => 'paid',
)
server.registerTool(
  'refresh_bill',
  { annotations: READS, ui: view({ visibility: ['app'] }) },
  () => 'refreshed',
)
// As moved servers and earlier hosts write it.
server.registerTool('draw_bill', { _meta: { 'ui/resourceUri': uri } }, () => 'drawn')
server.registerTool('send_bill', {}, () => 'sent')

const searched = createEdgeway(server, { features: [apps(), search()] })

describe('a server with search() and views', () => {
  it.for(['2026-07-28', '2025-11-25'] as const)(
    'lists the tools for views alone and their _meta in %s',
    async (revision) => {
      const tools = await (await connect(searched, { revision })).listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'pay_bill_now',
        'refresh_bill',
        'search_tools',
        'call_tool',
        'call_read_tool',
      ])
      expect(tools[0]?._meta?.ui).toEqual({ resourceUri: uri, visibility: ['app'] })
    },
  )

  it('finds no tool that the model must not see, and names none of its tags', async () => {
    const client = await connect(searched)
    const { structuredContent } = await client.callTool('search_tools', { query: 'bill clicks' })
    const { tools } = structuredContent as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'draw_bill',
      'send_bill',
      'show_bill',
    ])
    const listed = await client.listTools()
    expect(listed.find(({ name }) => name === 'search_tools')?.description).not.toContain('clicks')
  })

  it('refuses a tool in call_tool that the model must not see, and serves it by its name', async () => {
    const client = await connect(searched)
    const refused = await client.callTool('call_tool', { name: 'pay_bill_now' })
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toContain('There is no tool')
    expect(JSON.stringify(refused.content)).not.toContain('The nearest: pay_bill_now')
    const { content } = await client.callTool('pay_bill_now')
    expect(content).toEqual([{ type: 'text', text: 'paid' }])
  })
})

describe('a server with code() and views', () => {
  const app = (only: boolean) => createEdgeway(server, { features: [apps(), code({ only })] })

  it('has no tool in the code that the model must not see', async () => {
    const client = await connect(app(false), { env })
    const found = await client.callTool('execute', { code: 'return find("pay bill now")' })
    expect(JSON.stringify(found.structuredContent)).toContain('send_bill')
    expect(JSON.stringify(found.structuredContent)).not.toContain('pay_bill_now')
    const called = await client.callTool('execute', { code: 'return tools.pay_bill_now()' })
    expect(called.isError).toBe(true)
    const execute = (await client.listTools()).find(({ name }) => name === 'execute')
    expect(execute?.description).toContain('send_bill')
    expect(execute?.description).not.toContain('pay_bill_now')
  })

  it('lists the tools for views alone where code({ only }) keeps the others from the list', async () => {
    const tools = await (await connect(app(true), { env })).listTools()
    expect(tools.map(({ name }) => name)).toEqual(['pay_bill_now', 'refresh_bill', 'execute'])
  })
})
