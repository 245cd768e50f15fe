/** Code that fails says what to change, for the faults that models make. */
// features: code
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
const inputSchema = { status: z.string().optional(), limit: z.number().optional() }
server.registerTool('list_orders', { inputSchema }, () => ({
  content: [],
  structuredContent: { orders: [1, 2] },
}))
server.registerTool('ping', {}, () => 'pong')
const app = createEdgeway(server, { features: [code()] })

const run = async (source: string) =>
  (await connect(app, { env })).callTool('execute', { code: source })

const AWAIT = 'The results of list_orders were not awaited. Write await before each call.'
const VALUE = 'A call resolves with its value: the structured content, or the text.'

describe('the advice for code that has failed', () => {
  it.each([
    [
      'a forgotten await before a method',
      'const r = tools.list_orders(); return r.orders.map(String)',
      AWAIT,
    ],
    ['a forgotten await in a loop', 'for (const o of tools.list_orders()) console.log(o)', AWAIT],
    ['a call without tools', 'return await list_orders({})', 'await tools.list_orders(args)'],
    ['fetch', 'return await fetch("https://a.example")', 'Code has no fetch'],
    ['a timer', 'await new Promise((r) => setTimeout(r, 10))', 'Code has no setTimeout'],
    ['require', 'const fs = require("fs"); return 1', 'Code has no require'],
    [
      'the result of the protocol',
      'const r = await tools.list_orders({}); return r.content[0].text',
      VALUE,
    ],
    [
      'a list of types in a call',
      'return await tools.list_orders<Orders>({ limit: 1 })',
      'Call without the types',
    ],
    [
      'a name that is almost that of a tool',
      'return await tools.list_order({})',
      'The nearest: list_orders',
    ],
  ])('names what to write in its place: %s', async (_, source, advice) => {
    const { isError, text } = await run(source)
    expect(isError).toBe(true)
    expect(text).toContain(advice)
  })

  it('is not that of a forgotten await where nothing was forgotten', async () => {
    const { text } = await run('await tools.ping(); return undefined.map')
    expect(text).toMatch(/^TypeError: [^\n]*\nIt had called: ping$/)
  })

  it('counts repeated calls', async () => {
    const { text } = await run(
      'for (let i = 0; i < 40; i++) await tools.ping(); await tools.list_orders(); throw new Error("no")',
    )
    expect(text).toBe('Error: no (line 1)\nIt had called: ping (40 times), list_orders')
  })

  it.each([
    ['const a = 1\nconst b = = 2\nreturn a', 2],
    ['const a = 1\nreturn a +* 2\n\n\n', 2],
    ['const a = 1\nconst text = "never ended\nreturn text', 2],
    ['if (1) {\n  const a = 2)\n}\nreturn 1', 2],
    ['const a = 1\nreturn [a\n', 2],
    ['const a = 1\nconst c = 2\nconst a = 3\nreturn 1', 3],
    ['const f = () => {\n  await tools.ping()\n}\nreturn f()', 2],
    ['const a = 5 @ 3', 1],
  ])('has the line of an error of syntax: %j', async (source, line) => {
    const { text } = await run(source)
    expect(text).toMatch(/^SyntaxError: /)
    expect(text).toContain(`(line ${line})`)
  })
})

describe('code that has not failed', () => {
  it('has an argument that the tool does not have in its logs, once, with the nearest name', async () => {
    const { structuredContent } = await run(
      'for (const state of ["a", "b"]) await tools.list_orders({ state, limt: 1 }); return 1',
    )
    expect((structuredContent as { logs: string[] }).logs).toEqual([
      'list_orders has no argument "state" (the nearest: "status"), "limt" (the nearest: "limit")',
    ])
  })

  it('names the calls that it has not awaited', async () => {
    const { structuredContent } = await run('const r = tools.ping(); return { r }')
    expect(structuredContent).toMatchObject({
      result: { r: '[a promise: write await before the call]' },
      cut: 'The code ended without awaiting ping: write await before each call.',
    })
  })
})
