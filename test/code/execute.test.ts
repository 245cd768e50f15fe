import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { code } from '../../src/features/code/index.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'
import { connect } from '../../src/testing/index.ts'

function app() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.registerTool(
    'add',
    {
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ sum: a + b }),
  )
  server.registerTool('greet-person', { inputSchema: { name: z.string() } }, ({ name }) => `Hello ${name}`)
  return createEdgeway(server, { features: [code()] })
}

const run = async (source: string) => (await connect(app(), { env })).callTool('execute', { code: source })

describe('execute', () => {
  it('returns what code computes from the results of tools', async () => {
    const { structuredContent, content } = await run(
      'const { sum } = await tools.add({ a: 1, b: 2 }); console.log("sum", sum); return [sum, await tools.greet_person({ name: "Ada" })]',
    )
    expect(structuredContent).toEqual({ result: [3, 'Hello Ada'], logs: ['sum 3'], calls: 2 })
  })
  it('x', async () => {
    for (const c of ['1+1', 'async () => 5', 'throw new Error("no")\n', 'tools.nope()', 'await tools.add({a:"x"})', 'return new Promise(() => {})', 'return [new Date().toISOString(), Math.random(), typeof fetch, typeof setTimeout, Object.keys(globalThis).join()]', 'const x = await Promise.all([1,2,3].map((a) => tools.add({a, b: 1}))); return x', 'syntax error here', 'return await describe("add") + JSON.stringify(await find("greet"))', '```js\nreturn 7\n```']) {
      const r = await run(c)
      console.log(c, JSON.stringify(r))
    }
  })
})
