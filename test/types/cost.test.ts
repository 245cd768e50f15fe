/** Measures the compile cost of a large server in type instantiations, which are the same on every machine. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
// Inside the project, so that modules resolve. Git ignores node_modules.
const directory = join(ROOT, 'node_modules/.edgeway-type-cost')
const TOOLS = 200

interface Library {
  readonly name: string
  readonly from: string
  /** Source text before and after the value that a handler returns. */
  readonly head: string
  readonly tail: string
}

const tool = (index: number) => `
server.registerTool('tool${index}', {
  title: 'Tool ${index}',
  description: 'Does something',
  inputSchema: z.object({ id${index}: z.string(), count: z.number().int().min(0), tags: z.array(z.enum(['a', 'b', 'c'])).optional(), where: z.object({ x: z.number(), y: z.number() }) }),
  outputSchema: z.object({ id${index}: z.string(), total: z.number(), items: z.array(z.object({ name: z.string(), at: z.string().optional() })) }),
}, async (args) => ({ HEAD id${index}: args.id${index}, total: args.count + args.where.x, items: [{ name: args.tags?.[0] ?? 'none' }] TAIL }))
`

function source(tools: number, { from, head, tail }: Library): string {
  const text = Array.from({ length: tools }, (_, index) => tool(index)).join('')
  return `import * as z from 'zod'
import { McpServer } from '${from}'
const server = new McpServer({ name: 'cost', version: '1' })
${text.replaceAll('HEAD', head).replaceAll('TAIL', tail)}`
}

function measure(name: string, text: string): { instantiations: number; types: number } {
  writeFileSync(join(directory, `${name}.ts`), text)
  writeFileSync(
    join(directory, `${name}.json`),
    JSON.stringify({
      extends: '../../tsconfig.base.json',
      // Without the declarations of referenced projects, of which a server has those of the package.
      compilerOptions: {
        ...{ composite: false, emitDeclarationOnly: false, noEmit: true },
        ...{ types: ['@cloudflare/workers-types'], noUnusedLocals: false },
      },
      include: [`./${name}.ts`],
      exclude: [],
    }),
  )
  const report = execFileSync(
    process.execPath,
    // Several checkers count shared types several times, depending on how the files are divided.
    [TSC, '-p', join(directory, `${name}.json`), '--extendedDiagnostics', '--singleThreaded'],
    { encoding: 'utf8' },
  )
  const count = (label: string) => Number(new RegExp(`${label}:\\s+(\\d+)`).exec(report)?.[1])
  return { instantiations: count('Instantiations'), types: count('Types') }
}

beforeAll(() => mkdirSync(directory, { recursive: true }))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Returns the cost of the tools without the cost of the library itself. */
function marginalCost(library: Library): { instantiations: number; types: number } {
  const none = measure(`${library.name}-none`, source(0, library))
  const all = measure(library.name, source(TOOLS, library))
  return { instantiations: all.instantiations - none.instantiations, types: all.types - none.types }
}

it('type-checks 200 tools with output schemas for at most 107 % of the cost of the official SDK', () => {
  const own = marginalCost({ name: 'own', from: '../../src/index.ts', head: '', tail: '' })
  const sdk = marginalCost({
    name: 'sdk',
    from: '@modelcontextprotocol/server',
    head: 'content: [], structuredContent: {',
    tail: '}',
  })
  expect(own.instantiations).toBeGreaterThan(10_000)
  // Edgeway also checks the return type of every handler against its output schema, and types its files. The SDK does not.
  expect(own.instantiations / sdk.instantiations).toBeLessThanOrEqual(1.07)
  expect(own.types / sdk.types).toBeLessThanOrEqual(1.05)
}, 300_000)
