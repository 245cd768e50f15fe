/** What code is, and what its call returns. */
// features: code
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
server.registerTool(
  'add',
  {
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
)
server.registerTool(
  'greet-person',
  { inputSchema: { name: z.string() } },
  ({ name }) => `Hello ${name}`,
)
server.registerTool('greet_person', {}, () => 'Hello you')
server.registerTool('picture', {}, () => [
  { type: 'text', text: 'A picture' },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
])
const app = createEdgeway(server, { features: [code()] })

const run = async (source: string, client?: string) => {
  const clientInfo = client === undefined ? {} : { clientInfo: { name: client, version: '1' } }
  return (await connect(app, { env, ...clientInfo })).callTool('execute', { code: source })
}

describe('execute', () => {
  it('returns what the code returns, its console output and the number of its calls', async () => {
    const source = `
      const { sum } = await tools.add({ a: 1, b: 2 })
      console.log('sum', sum, { of: [1, 2] })
      console.error('careful')
      return [sum, await tools.greet_person_2({ name: 'Ada' }), await tools['greet-person']({ name: 'Bo' })]`
    const { structuredContent, text } = await run(source)
    expect(structuredContent).toEqual({
      result: [3, 'Hello Ada', 'Hello Bo'],
      logs: ['sum 3 {"of":[1,2]}', 'error: careful'],
      calls: 3,
    })
    expect(JSON.parse(text)).toEqual(structuredContent)
  })

  it.each([
    ['an expression', '1 + 1', 2],
    ['an expression that awaits', '(await tools.add({ a: 1, b: 1 })).sum;', 2],
    ['an object', '{ a: 1 }', { a: 1 }],
    ['an arrow function', 'async () => {\n  return 5\n}', 5],
    ['an arrow function that takes the tools', 'async (t) => (await t.add({ a: 2, b: 3 })).sum', 5],
    ['a function', 'async function main() { return 6 }', 6],
    ['a fenced block', '```js\nreturn 7\n```', 7],
    ['a default export', 'export default async () => 8', 8],
    ['a body', 'const x = 4\nreturn x * 2', 8],
    ['an expression with a comment', '9 // nine', 9],
    ['a script', 'const x = 4\nx * 2', 8],
    ['a script in one line', 'const x = 4; x * 2', 8],
    ['a script that ends with a comment', 'const x = 4;\nx * 2 // eight', 8],
    ['a script that ends in several lines', 'const x = 4\n\nMath.max(\n  x,\n  9,\n)', 9],
    [
      'a script that calls its function',
      'async function main() {\n  return (await tools.add({ a: 1, b: 2 })).sum\n}\n\nmain();',
      3,
    ],
    ['a script that ends with a function', 'let x = 1\nx = () => tools.fail()', '[function x]'],
    [
      'calls at once',
      'const all = await Promise.all([1, 2].map((a) => tools.add({ a, b: 0 }))); return all.map(({ sum }) => sum)',
      [1, 2],
    ],
    [
      'the first of several',
      'return Promise.race([tools.add({ a: 1, b: 0 }), tools.add({ a: 2, b: 0 })])',
      { sum: 1 },
    ],
    [
      'a result with an image',
      'return (await tools.picture()).content.map(({ type }) => type)',
      ['text', 'image'],
    ],
    ['null', 'return null', null],
  ])('runs %s', async (_, source, result) => {
    expect((await run(source)).structuredContent).toMatchObject({ result })
  })

  it('calls each of two tools whose names differ in their separators', async () => {
    const source = `return Promise.all([
      tools.greet_person(), tools['greet_person'](), tools['greet-person']({ name: 'Ada' }), tools.greet_person_2({ name: 'Bo' }),
    ])`
    expect((await run(source)).structuredContent).toMatchObject({
      result: ['Hello you', 'Hello you', 'Hello Ada', 'Hello Bo'],
    })
  })

  it.each([
    ['a bigint', 'return 5n', '5n'],
    ['a function in a list', 'return [() => 1]', ['[function ]']],
    ['a symbol', 'return Symbol("x")', '[Symbol(x)]'],
    ['an error', 'return new TypeError("x")', 'TypeError: x'],
    ['a map and a set', 'return [new Map([["a", 1]]), new Set([2])]', [[['a', 1]], [2]]],
    ['a date', 'return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['not a number', 'return NaN', null],
  ])('describes a result that is %s', async (_, source, result) => {
    expect((await run(source)).structuredContent).toMatchObject({ result })
  })

  it('describes a result with a cycle', async () => {
    const { structuredContent } = await run('const a = {}; a.a = a; return a')
    expect((structuredContent as { result: string }).result).toContain('not JSON')
  })

  it.each([
    ['a continued expression', 'const x = 4\n+ 5'],
    ['a continued call', 'const x = String\n("y")'],
    ['a comment', 'let x = 1 // x; return 5'],
    ['an else', 'let x = 0\nif (x) x\nelse 7'],
    ['a line of a block', 'let x = 1\nif (x) {\n  x + 1\n}'],
    ['a line of a text', 'const x = `\n8; 9`'],
  ])('has no value of code that ends with %s', async (_, source) => {
    const { structuredContent } = await run(source)
    expect(structuredContent).toMatchObject({ cut: expect.stringContaining('returned nothing') })
  })

  it('says how to return something, for code that returns and prints nothing', async () => {
    expect((await run('await tools.add({ a: 1, b: 1 });\nlet x')).structuredContent).toEqual({
      calls: 1,
      cut: 'The code returned nothing. End it with return.',
    })
  })

  it.each([
    ['an error', 'const a = 1\nthrow new RangeError("no")', 'RangeError: no (line 2)'],
    ['an error in an expression', '\n\n(() => { throw new Error("no") })()', 'Error: no (line 1)'],
    ['a text', 'throw "no"', 'no'],
    ['an object', 'throw { code: 1 }', '{"code":1}'],
    [
      'a name that is no tool',
      'tools.subtract({})',
      'TypeError: tools.subtract is not a function (line 1)\nThere is no tool subtract. The nearest: picture. Use find("words").',
    ],
    [
      'several errors at once',
      'throw new AggregateError(["a", "b", "c", "d"].map((text) => new Error(text)), "all failed")',
      'AggregateError: all failed (Error: a; Error: b; Error: c) (line 1)',
    ],
    [
      'a mistake',
      'return (',
      "SyntaxError: Unexpected token '}' (line 1)\nSend plain JavaScript: the body of an async function, without modules. Types are removed where that is enough, but not those of classes, enum, namespace and decorators.",
    ],
    [
      'arguments that do not fit',
      'await tools.add({ a: 1 })',
      'ToolError: Invalid arguments for add:\nb: Invalid input: expected number, received undefined\nIt had called: add',
    ],
  ])('fails with %s', async (_, source, message) => {
    const { isError, text } = await run(source)
    expect([isError, text]).toEqual([true, message])
  })

  it('returns the console output of code that has failed', async () => {
    const { text } = await run('console.log("so far"); throw new Error("no")')
    expect(text).toBe('Error: no (line 1)\nConsole output:\nso far')
  })

  it('returns console output with a surrogate without its pair, and what follows it', async () => {
    const { structuredContent } = await run('console.log("a\\ud800b"); console.log("c"); return 1')
    expect(structuredContent).toEqual({ result: 1, logs: ['a\ufffdb', 'c'], calls: 0 })
  })

  it.each([
    [
      'console.assert(1 === 2, "numbers", 3); console.assert(true, "no")',
      ['error: Assertion failed numbers 3'],
    ],
    ['console.group("a"); console.log("b"); console.groupEnd()', ['a', 'b']],
    ['console.time("t"); console.timeEnd("t"); console.count("c"); console.clear()', []],
  ])('has the methods of console in %s', async (source, logs) => {
    const { structuredContent } = await run(`${source}; return 1`)
    expect(structuredContent).toEqual({ result: 1, calls: 0, ...(logs.length > 0 && { logs }) })
  })

  it('has one time, and random numbers', async () => {
    const { structuredContent } = await run(
      'const from = Date.now(); await tools.add({ a: 1, b: 1 }); return [Date.now() - from, Math.random() >= 0]',
    )
    expect(structuredContent).toMatchObject({ result: [0, true] })
  })

  it.each([
    ['gemini-cli-mcp-client', 40_000],
    ['github-copilot-developer', 20_480],
    ['claude-ai', 150_000],
    ['another client', 40_000],
  ])('is cut to the limit of %s', async (client, bytes) => {
    const { text, structuredContent } = await run(
      'console.log("l".repeat(15_000)); return "é\\"".repeat(100_000)',
      client,
    )
    const { byteLength } = new TextEncoder().encode(text)
    expect(byteLength).toBeLessThanOrEqual(bytes)
    expect(byteLength).toBeGreaterThan(bytes * 0.6)
    expect((structuredContent as { cut: string }).cut).toMatch(
      /of 300002 characters of the result are shown/,
    )
  })

  it('is in the list with its annotations, its schemas and the declarations of the tools', async () => {
    const listed = await (await connect(app, { env })).listTools()
    const execute = listed.find(({ name }) => name === 'execute')
    expect(execute?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(execute?.inputSchema.required).toEqual(['code'])
    expect(execute?.description).toContain(
      'add(args: { a: number; b: number }): Promise<{ sum: number }>',
    )
  })
})
