/** `search()` beside `code()`: one ranking, and each leaves the tools of the other alone. */
// features: search, code
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createEdgeway } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'
import { search } from '../../src/search/index.ts'
import { createShop } from './support/shop.ts'

const app = createEdgeway(createShop(), { features: [code(), search()] })

describe('a server with search() and code()', () => {
  it('lists the tools of both', async () => {
    const tools = await (await connect(app, { env })).listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'call_read_tool',
      'call_tool',
      'execute',
      'search_tools',
    ])
  })

  it('finds the same tools in code and by search_tools, and none that a feature has added', async () => {
    const client = await connect(app, { env })
    const query = 'give the money back, run code, search tools'
    const source = `return (await find(${JSON.stringify(query)})).tools.map(({ signature }) => signature)`
    const inCode = (await client.callTool('execute', { code: source })).structuredContent
    const found = (await client.callTool('search_tools', { query })).structuredContent
    const names = (found as { tools: { name: string }[] }).tools.map(({ name }) => name)
    expect(names[0]).toBe('refund_order')
    expect(names).not.toContain('execute')
    const { result } = inCode as { result: string[] }
    expect(
      result.map((signature) => signature.replace(/\(.*/, '').replace('_weather', '.weather')),
    ).toEqual(names)
  })

  it('finds the tools that code({ only }) keeps from the list', async () => {
    const only = createEdgeway(createShop(), { features: [search(), code({ only: true })] })
    const client = await connect(only, { env })
    const listed = (await client.listTools()).map(({ name }) => name)
    expect(listed).toEqual(['search_tools', 'call_tool', 'call_read_tool', 'execute'])
    const { structuredContent } = await client.callTool('search_tools', { query: 'refund' })
    expect((structuredContent as { tools: object[] }).tools).toMatchObject([
      { name: 'refund_order' },
    ])
  })

  it('calls execute by call_tool', async () => {
    const client = await connect(app, { env })
    const args = {
      name: 'execute',
      arguments: { code: 'return tools.refund_order({ order: "A1" })' },
    }
    const { structuredContent } = await client.callTool('call_tool', args)
    expect(structuredContent).toMatchObject({ result: 'refunded A1 all' })
  })
})
