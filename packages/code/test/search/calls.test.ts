/** Calls through `call_tool`: what is served as if called by its name, and what is answered with what to send. */
// features: search
import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createEdgeway } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { search } from '../../src/search/index.ts'
import { createShop } from './support/shop.ts'

const app = createEdgeway(createShop(), { features: [search()] })
const client = await connect(app)

const call = (args: object, tool = 'call_tool') => client.callTool(tool, args)
const refund = (args: object) => ({ name: 'refund_order', arguments: args })

describe('a server with search()', () => {
  it.for([
    ['an object without toString', { toString: 0 }],
    ['an array of the name of call_tool', ['call_tool']],
  ] as [string, object][])('answers -32602 to a tools/call whose name is %s', async ([, name]) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name, arguments: { name: 'list_orders' }, _meta }
    const response = await app.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
      {} as never,
      createExecutionContext(),
    )
    const error = { code: -32602, message: 'params.name must be a string' }
    expect([response.status, await response.json()]).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, error },
    ])
  })
})

describe('a call of call_tool', () => {
  it.for(['2026-07-28', '2025-11-25', '2025-03-26', '2024-11-05'] as const)(
    'is the call of its tool in %s',
    async (revision) => {
      const own = await connect(app, { revision })
      const result = await own.callTool('call_tool', refund({ order: 'A1', cents: 5 }))
      expect(result).toEqual(await own.callTool('refund_order', { order: 'A1', cents: 5 }))
      expect(result.text).toBe('refunded A1 5')
    },
  )

  it('has the structured content of its tool', async () => {
    const { structuredContent } = await call({ name: 'list_orders', arguments: {} })
    expect(structuredContent).toEqual({ orders: ['one open'] })
  })

  it('has the arguments checked by the schema of its tool', async () => {
    const result = await call(refund({ order: 7 }))
    expect(result.isError).toBe(true)
    expect(result.text).toContain('Invalid arguments for refund_order')
  })

  it.for([
    ['arguments as a JSON text', { name: 'refund_order', arguments: '{"order":"A1"}' }],
    ['the prefix of a client', { name: 'mcp__shop__refund_order', arguments: { order: 'A1' } }],
    ['a prefix with a dot', { name: 'functions.refund_order', arguments: { order: 'A1' } }],
    ['another case', { name: 'Refund_Order', arguments: { order: 'A1' } }],
    ['camel case', { name: 'refundOrder', arguments: { order: 'A1' } }],
    ['hyphens and spaces around', { name: ' refund-order ', arguments: { order: 'A1' } }],
    ['a prefix and another case', { name: 'shop:RefundOrder', arguments: { order: 'A1' } }],
  ] as [string, object][])('serves %s', async ([, args]) => {
    expect((await call(args)).text).toBe('refunded A1 all')
  })

  it.for([
    ['absent arguments', { name: 'shop.weather' }],
    ['empty arguments', { name: 'shop.weather', arguments: {} }],
    ['arguments that are null', { name: 'shop.weather', arguments: null }],
    ['arguments that are an empty text', { name: 'shop.weather', arguments: '' }],
    ['a tool whose name has a separator, with a prefix', { name: 'mcp__shop__shop.weather' }],
  ] as [string, object][])('serves %s', async ([, args]) => {
    expect((await call(args)).text).toBe('rain')
  })

  it.for([
    ['no name', {}, '"name" must be the name of a tool. Find it with search_tools'],
    ['a name that is no text', { name: 7 }, '"name" must be the name of a tool'],
    ['an empty name', { name: ' ' }, '"name" must be the name of a tool'],
    [
      'an unknown name',
      { name: 'refund', arguments: {} },
      'There is no tool "refund". The nearest: refund_order',
    ],
    ['a name of a prototype', { name: '__proto__' }, 'There is no tool "__proto__".'],
    [
      'a tool that the caller does not see, as an unknown one',
      { name: 'delete_customer' },
      'There is no tool "delete_customer".',
    ],
    ['itself', { name: 'call_tool', arguments: refund({}) }, 'not call_tool'],
    ['the other one', { name: 'call_read_tool' }, 'not call_read_tool'],
    [
      'arguments beside the name',
      { name: 'refund_order', order: 'A1' },
      'The arguments of refund_order belong into "arguments", which is absent. Found beside it: "order".',
    ],
    [
      'arguments under another name',
      { name: 'refund_order', args: { order: 'A1' } },
      'Found beside it: "args".',
    ],
    ['a list of arguments', refund(['A1']), '"arguments" must be an object'],
    ['a text that is no JSON', refund('order=A1' as never), '"arguments" must be an object'],
    ['a JSON text of a list', refund('["A1"]' as never), '"arguments" must be an object'],
    ['a key twice', refund('{"order":"A","order":"B"}' as never), '"arguments" must be an object'],
    ['a deep JSON text', refund(`${'['.repeat(200)}` as never), '"arguments" must be an object'],
  ] as [string, object, string][])('refuses %s', async ([, args, message]) => {
    const result = await call(args)
    expect(result.isError).toBe(true)
    expect(result.text).toContain(message)
  })

  it('names no tool that the caller does not see as the nearest one', async () => {
    const { text } = await call({ name: 'delete_customers' })
    expect(text).toContain('There is no tool "delete_customers".')
    expect(text).not.toContain('delete_customer,')
    expect(text).not.toMatch(/nearest: [^.]*delete_customer\b/)
  })

  it('shows at most a short part of a long name', async () => {
    expect((await call({ name: 'x'.repeat(5_000) })).text.length).toBeLessThan(400)
  })

  it('refuses a name of a million separators at once', async () => {
    const before = performance.now()
    const { text } = await call({ name: '.'.repeat(1_000_000) })
    expect(text).toContain('There is no tool')
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it('calls search_tools too', async () => {
    const { text } = await call({ name: 'search_tools', arguments: { query: 'weather' } })
    expect(text).toContain('shop.weather')
  })
})

describe('a call of call_read_tool', () => {
  it('calls a tool that reads', async () => {
    expect((await call({ name: 'shop.weather' }, 'call_read_tool')).text).toBe('rain')
  })

  it('refuses a tool that does not only read, and names the tool to use', async () => {
    const result = await call(refund({ order: 'A1' }), 'call_read_tool')
    expect(result.isError).toBe(true)
    expect(result.text).toBe(
      'refund_order does not only read. Call it with call_tool, with the same name and arguments.',
    )
  })
})
