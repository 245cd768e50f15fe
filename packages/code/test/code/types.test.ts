/** Models write the TypeScript that they read in the declarations: its types are removed, and JavaScript stays as it is. */
// features: code
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'
import { stripTypes } from '../../src/code/types/strip-types.ts'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
server.registerTool(
  'add',
  {
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
)
const app = createEdgeway(server, { features: [code()] })

const run = async (source: string) =>
  (await connect(app, { env })).callTool('execute', { code: source })

const ADD = 'tools.add({ a: 1, b: 2 })'

describe('the types of code', () => {
  it.each([
    [
      'variables',
      'const a: number = 1, b: Array<{ n: number }> = [{ n: 2 }]; return a + b[0].n',
      3,
    ],
    ['a pattern', `const { sum }: { sum: number } = await ${ADD}; return sum`, 3],
    [
      'parameters and a result',
      'async function f<T extends object>(x: T, y?: string, ...z: number[]): Promise<T> { return x }\nreturn f({ a: 1 })',
      { a: 1 },
    ],
    [
      'arrow functions',
      'const f = async (x: number, { y = 1 }: { y?: number } = {}): Promise<number> => x + y; return f(2)',
      3,
    ],
    ['an assertion', `const r = (await ${ADD}) as { sum: number }; return r.sum`, 3],
    ['assertions of assertions', `return ((await ${ADD}) as unknown as { sum: number }).sum`, 3],
    [
      'as const and satisfies',
      'const a = [1, 2] as const; return a satisfies readonly number[]',
      [1, 2],
    ],
    [
      'a list of types',
      'const m = new Map<string, number[]>(); m.set("a", [1]); return [...m]',
      [['a', [1]]],
    ],
    ['marks', 'const a = { b: [{ c: 1 }] }; return a!.b![0]!.c', 1],
    [
      'declarations',
      'interface A extends B<C> { x: number; f(): void }\ntype T = { a: 1 } | "b" | (() => void)\ntype F<X> = X extends string ? 1 : 2;\ndeclare const tools: { add(a: A): Promise<T> }\nconst q: T = { a: 1 }\nreturn q',
      { a: 1 },
    ],
    [
      'a caught error',
      'try { throw new Error("no") } catch (e: unknown) { return (e as Error).message }',
      'no',
    ],
    ['a template', `const s: string = \`a \${(1 as any) + 1} b\`; return s`, 'a 2 b'],
    [
      'a predicate',
      'return [1, null].filter((n): n is number => n != null).reduce<number>((s, n) => s + n, 0)',
      1,
    ],
    ['a method', 'const o = { m(x: string): string { return x }, n: 1 }; return o.m("a")', 'a'],
    [
      'a variable without a value',
      'let x: string | undefined\nlet y: Record<string, Map<string, number>> = {}\nreturn y',
      {},
    ],
    ['an expression', `((await ${ADD}) as any).sum`, 3],
    ['an arrow function as the whole', 'async (): Promise<number> => 5', 5],
  ])('are removed: %s', async (_, source, result) => {
    const { structuredContent, text, isError } = await run(source)
    expect([isError ?? false, isError ? text : '']).toEqual([false, ''])
    expect(structuredContent).toMatchObject({ result })
  })

  it.each([
    [
      'comparisons',
      'const [a, b, c, d] = [1, 2, 3, 4]; return [a < b, c > (d), a < b && c > (d)]',
      [true, false, false],
    ],
    ['conditions', 'const a = 1; return a ? (a) : a => a', 1],
    [
      'labels, cases and members',
      'let n = 0; out: for (;;) { switch (n) { case n: { break out } } } return { as: 1, type: 2, n }',
      { as: 1, type: 2, n: 0 },
    ],
    [
      'words of TypeScript as names',
      'const type = 1, as = 2, interface_ = 3; let declare = type; return [type, as, declare]',
      [1, 2, 1],
    ],
    [
      'texts that look like types',
      `return "const a: number = b as string" + /x as y/.source + \`\${"!"}: T\``,
      'const a: number = b as stringx as y!: T',
    ],
  ])('are not seen in JavaScript: %s', async (_, source, result) => {
    expect((await run(source)).structuredContent).toMatchObject({ result })
  })

  it('leave lines and columns as they were', () => {
    const source = 'interface A {\n  a: number\n}\nconst a: A = f<A>(x as A)!'
    const stripped = stripTypes(source)
    expect(stripped.length).toBe(source.length)
    expect(stripped.split('\n').map((line) => line.trimEnd())).toEqual([
      '',
      '',
      '',
      'const a    = f   (x     )',
    ])
  })

  it('do not hide an import', async () => {
    const { isError, text } = await run(
      'const a: any = 1; return import<any>("cloudflare:workers")',
    )
    expect([isError, text.slice(0, 30)]).toEqual([true, 'The code cannot import modules'])
  })

  it.each([
    ['enum E { A }\nreturn 1', 1],
    ['const a: number = 1\n\nclass A { x: number = 1 }\nreturn a', 3],
  ])('that need code are an error with the line and what to send: %s', async (source, line) => {
    const { isError, text } = await run(source)
    expect(isError).toBe(true)
    expect(text).toMatch(/^SyntaxError: /)
    expect(text).toContain(`(line ${line})\nSend plain JavaScript`)
  })

  it.each([
    'x as ',
    '`${',
    '\ntype a=b extends ',
    'x!',
    'const a: ',
    '<',
    'a<b,',
    'a<',
    '\ninterface a ',
    'let a:b|',
    'f(a:b|c,',
    '(a?:(b)=>',
    '/*',
  ])('are looked for in a bounded time, however often code has %j', (part) => {
    const before = Date.now()
    for (const closing of ['', ')', '}']) {
      stripTypes(part.repeat(60_000 / part.length) + closing.repeat(60_000 / part.length))
    }
    expect(Date.now() - before).toBeLessThan(20_000)
  })
})
