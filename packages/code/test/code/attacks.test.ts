/** Code that tries to leave its sandbox, to exceed a limit, or to disturb what runs it. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { connect, type ToolResult } from '../../../testing/src/index.ts'
import { attackedApp, calledTools } from './support/attacked-app.ts'

async function run(source: string): Promise<ToolResult> {
  return (await connect(attackedApp, { env })).callTool('execute', { code: source })
}

/** What code returns, or the text of its error. */
async function endOf(source: string): Promise<unknown> {
  const { structuredContent, text, isError } = await run(source)
  return isError === true ? text : (structuredContent as { result?: unknown }).result
}

const EVAL = 'EvalError: Code generation from strings disallowed for this context'
const IMPORT = 'The code cannot import modules.'
const tried = (expression: string) =>
  `try { return await (${expression}) } catch (error) { return String(error) }`

describe('code finds nothing of the platform', () => {
  it.each([
    'fetch',
    'setTimeout',
    'setInterval',
    'clearTimeout',
    'scheduler',
    'crypto',
    'performance',
    'caches',
    'WebAssembly',
    'Atomics',
    'SharedArrayBuffer',
    'WeakRef',
    'FinalizationRegistry',
    'MessageChannel',
    'BroadcastChannel',
    'EventSource',
    'WebSocket',
    'WebSocketPair',
    'Request',
    'Response',
    'ReadableStream',
    'AbortSignal',
    'AbortController',
    'EventTarget',
    'addEventListener',
    'navigator',
    'Cloudflare',
    'self',
    'eval',
    'process',
    'require',
    'module',
    'Buffer',
    'HTMLRewriter',
    'Temporal',
    'ServiceWorkerGlobalScope',
    'WorkerGlobalScope',
    'reportError',
    'env',
    'host',
    'next',
    'input',
    'source',
  ])('%s', async (name) => {
    expect(
      await endOf(`return [typeof ${name}, globalThis[${JSON.stringify(name)}] === undefined]`),
    ).toEqual(['undefined', true])
  })

  it('in the prototypes of the global object', async () => {
    const source = `
      const names = []
      for (let at = Object.getPrototypeOf(globalThis); at !== null; at = Object.getPrototypeOf(at)) {
        names.push(...Object.getOwnPropertyNames(at))
      }
      return names.filter((name) => !(name in {}))`
    expect(await endOf(source)).toEqual([])
  })
})

describe('code cannot make code', () => {
  it.each([
    ['new Function("return 1")()'],
    ['(() => {}).constructor("return 1")()'],
    ['(async () => {}).constructor("return 1")()'],
    ['(function* () {}).constructor("yield 1")().next()'],
    ['Reflect.construct(Function, ["return 1"])()'],
    ['tools.add.constructor("return 1")()'],
    ['console.log.constructor.constructor("return 1")()'],
  ])('%s', async (expression) => {
    expect(await endOf(tried(expression))).toBe(EVAL)
  })
})

describe('code cannot import', () => {
  it.each([
    ['return import("cloudflare:workers")'],
    ['return import ("cloudflare:sockets")'],
    ['return import/* */("cloudflare:workers")'],
    ['return import// \n("cloudflare:workers")'],
    ['return import<!-- \n("cloudflare:workers")'],
    ['const found = await import\n--> \n("cloudflare:workers"); return Object.keys(found)'],
    ['return import\u2028("cloudflare:workers")'],
    ['return import.meta.url'],
    ['return import\n.\n/* */meta.url'],
    ['return import.source("main.js")'],
    ['return import.defer("main.js")'],
    ['return [...import("main.js")]'],
    ['const x = {import: 1}; return x.import, import("main.js")'],
    ['return `$' + '{import("main.js")}`'],
  ])('%j', async (source) => {
    expect(await endOf(source)).toContain(IMPORT)
  })

  it.each([
    ['import { env } from "cloudflare:workers"\nreturn env', 'SyntaxError'],
    ['return im\\u0070ort("cloudflare:workers")', 'SyntaxError'],
    ['}; export const leaked = 1; async () => {', 'SyntaxError'],
    ['); globalThis.x = 1; (', 'SyntaxError'],
    ['export const a = 1', 'SyntaxError'],
  ])('%j is no code', async (source, error) => {
    expect(await endOf(source)).toContain(error)
  })

  it('and may use the word', async () => {
    const source = 'const a = { import: (x) => x }; return a.import("import/export - import.")'
    expect(await endOf(source)).toBe('import/export - import.')
  })
})

describe('code reaches nothing of what runs it', () => {
  it.each([
    ['Object.getPrototypeOf(tools)', null],
    ['tools.__proto__', '[undefined]'],
    ['tools.constructor', '[undefined]'],
    ['tools.then', '[undefined]'],
    ['tools["__proto__"]', '[undefined]'],
    ['(tools.add = 1, typeof tools.add)', 'function'],
    ['Object.isFrozen(tools)', true],
    ['(function () { return this === globalThis })()', true],
    [
      '(() => { try { return arguments.callee.caller } catch (error) { return error.name } })()',
      'TypeError',
    ],
    [
      'Object.getOwnPropertyNames(globalThis).filter((name) => /host|next|pending|queue$/.test(name))',
      [],
    ],
    ['new Date().constructor === Date && new Date().constructor.now() === Date.now()', true],
    ['structuredClone(new Date(5)).constructor === Date', true],
    [
      'new Intl.DateTimeFormat("en", { year: "numeric" }).format() === String(new Date().getFullYear())',
      true,
    ],
    ['Math.random() < 1 && Math.random() !== Math.random()', true],
  ])('%s', async (expression, value) => {
    expect(
      await endOf(
        `const value = ${expression}; return value === undefined ? "[undefined]" : value`,
      ),
    ).toEqual(value)
  })

  it('by the stack of an error', async () => {
    const stack = String(await endOf('return new Error("x").stack'))
    expect(stack).toContain('code.js')
    expect(stack).not.toMatch(/\/work|src\/|file:|node_modules/)
    const failed = String(
      await endOf(
        'try { await tools.fail({}) } catch (error) { return error.stack + error.message }',
      ),
    )
    expect(failed).not.toMatch(/src\/|file:|node_modules|secret/)
  })

  it('by the call sites of an error', async () => {
    const source = `
      Error.prepareStackTrace = (_, sites) => sites.map((site) => [typeof site.getThis(), typeof site.getFunction()])
      const sites = new Error('x').stack
      delete Error.prepareStackTrace
      return sites.slice(1).every(([self, fn]) => self === 'undefined' && fn === 'undefined')`
    expect(await endOf(source)).toBe(true)
  })
})

describe('arguments that are not plain values', () => {
  it.each([
    ['functions are left out', 'tools.echo({ value: () => 1, kept: 2 })', { kept: 2 }],
    [
      'a function is refused',
      'tools.echo(() => 1)',
      'TypeError: The arguments of echo must be an object',
    ],
    ['a text is refused', 'tools.echo("x")', 'ToolError: The arguments of echo must be an object'],
    ['a list is refused', 'tools.echo([1])', 'ToolError: The arguments of echo must be an object'],
    ['null is refused', 'tools.echo(null)', 'ToolError: The arguments of echo must be an object'],
    [
      'a getter is read once',
      '(() => { let n = 0; return tools.echo({ get n() { return ++n } }) })()',
      { n: 1 },
    ],
    ['toJSON is applied', 'tools.echo({ toJSON: () => ({ a: 1 }) })', { a: 1 }],
    [
      'an own __proto__ stays a member',
      'tools.echo(JSON.parse(\'{"__proto__":{"x":1}}\')).then((v) => [Object.keys(v), v.x === undefined])',
      [['__proto__'], true],
    ],
    ['a promise has no members', 'tools.echo({ value: Promise.resolve(1) })', { value: {} }],
    [
      'a bigint is refused',
      'tools.echo({ value: 1n })',
      'TypeError: Do not know how to serialize a BigInt',
    ],
    ['a call is no argument', 'tools.echo({ value: tools.echo({}) })', { value: {} }],
  ])('%s', async (_, expression, value) => {
    expect(await endOf(tried(expression))).toEqual(value)
  })

  it('a cycle is refused', async () => {
    const source =
      'const a = {}; a.a = a; try { await tools.echo(a) } catch (error) { return error.name }'
    expect(await endOf(source)).toBe('TypeError')
  })

  it('nesting beyond that of a request is refused', async () => {
    const source = `let a = {}; for (let i = 0; i < 200; i++) a = { a }; ${tried('tools.echo(a)')}`
    expect(await endOf(source)).toContain('nest too deeply')
  })
})

describe('code stays within its limits', () => {
  it('makes at most as many calls as the limit, also at once', async () => {
    calledTools.length = 0
    const source = `
      const results = await Promise.allSettled(Array.from({ length: 10_000 }, (_, n) => tools.echo({ n })))
      return results.filter(({ status }) => status === 'fulfilled').length`
    expect(await endOf(source)).toBe(20)
    expect(calledTools).toHaveLength(20)
  })

  it('makes no call after its end', async () => {
    calledTools.length = 0
    const source = 'tools.echo({ n: 1 }).then(() => tools.echo({ n: 2 })); return 1'
    expect(await endOf(source)).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(calledTools).toEqual(['echo'])
  })

  it('calls tools without end', async () => {
    expect(await endOf('for (;;) await tools.echo({})')).toContain('at most 20 calls')
  })

  it('waits for nothing', async () => {
    expect(await endOf('await new Promise(() => {})')).toBe(
      'The code waits for a promise that nothing resolves',
    )
  })

  it('recurses without end', async () => {
    expect(await endOf('const f = () => f(); f()')).toContain('Maximum call stack size exceeded')
  })

  it('returns a text that is cut', async () => {
    const { structuredContent, text } = await run('return "x".repeat(5_000_000)')
    const { result, cut } = structuredContent as { result: string; cut: string }
    expect(text.length).toBeLessThan(41_000)
    expect(result.length).toBeGreaterThan(20_000)
    expect(cut).toMatch(/^The first \d+ of 5000002 characters of the result are shown\./)
  })

  it('prints a text that is cut', async () => {
    const { structuredContent, text } = await run(
      'for (let i = 0; i < 10_000; i++) console.log("y".repeat(1000)); return 1',
    )
    expect(text.length).toBeLessThan(41_000)
    expect((structuredContent as { cut: string }).cut).toContain(
      'characters of the console output are left out',
    )
  })

  it('throws a text that is cut', async () => {
    expect(String(await endOf('throw new Error("z".repeat(5_000_000))')).length).toBeLessThan(
      41_000,
    )
  })

  it('is at most 64 KiB', async () => {
    const answer = await endOf(`return 1 //${'x'.repeat(70_000)}`)
    expect(answer).toMatch(/maximum|at most|65536/)
  })

  it('sends at most 4 MiB of arguments', async () => {
    expect(await endOf('return tools.echo({ value: "x".repeat(5_000_000) })')).toContain(
      'at most 4194304',
    )
  })

  it('is counted by the limit class of each tool', async () => {
    const source = `const results = await Promise.allSettled([1, 2, 3, 4].map(() => tools.limited({})))
      return results.map(({ reason }) => reason?.message ?? 'ok')`
    expect(await endOf(source)).toEqual([
      'ok',
      'ok',
      ...Array(2).fill(
        'Too many calls of the tool limited. Nothing was done. Call it again in 30 seconds.',
      ),
    ])
  })
})

describe('one run leaves nothing for the next', () => {
  it('in globals and prototypes', async () => {
    await run(
      'globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null; return 1',
    )
    expect(
      await endOf('return [typeof left, ({}).left === undefined, [1].map((n) => n + 1)]'),
    ).toEqual(['undefined', true, [2]])
  })
})

describe('code that changes the built-in objects', () => {
  it.each([
    ['Promise.prototype.then = () => { throw 1 }; return 5'],
    ['Promise.prototype.then = null; return tools.echo({})'],
    ['Array.prototype.push = () => { throw 1 }; return tools.echo({})'],
    ['Map.prototype.get = () => undefined; return tools.echo({})'],
    ['JSON.stringify = () => "{}"; JSON.parse = () => [1, true, 1]; return tools.echo({ n: 1 })'],
    ['Object.prototype.toJSON = () => "forged"; return tools.echo({ n: 1 })'],
    ['Array.prototype.toJSON = () => [["tool", "hidden", "{}"]]; return tools.echo({ n: 1 })'],
    [
      'Object.defineProperty(Object.prototype, "then", { get() { return undefined } }); return tools.echo({ n: 1 })',
    ],
    ['globalThis.Promise = null; globalThis.JSON = null; return tools.echo({ n: 1 })'],
    ['String.prototype.slice = () => ({}); return "x"'],
    ['Error.prototype.toString = () => { throw 1 }; throw new Error("x")'],
    ['throw { get message() { throw 1 }, toString() { throw 2 } }'],
    ['return { toJSON() { throw new Error("no") } }'],
    ['return new Proxy({}, { ownKeys() { throw new Error("trap") } })'],
  ])('ends, and calls nothing that it may not call: %s', async (source) => {
    calledTools.length = 0
    const { isError, content } = await run(source)
    expect(content.length).toBeGreaterThan(0)
    expect([undefined, true]).toContain(isError)
    expect(calledTools.filter((name) => name !== 'echo')).toEqual([])
  })
})

describe('tools that are not for the caller', () => {
  it.each([
    ['a hidden tool', 'typeof tools.hidden', 'undefined'],
    ['a hidden tool by find', 'JSON.stringify(await find("hidden"))', '{"tools":[],"found":0}'],
    [
      'a hidden tool by describe',
      'await describe("hidden")',
      '// There is no tool "hidden". Use find("words").',
    ],
    ['execute', 'typeof tools.execute', 'undefined'],
    ['a tool that needs a task', 'typeof tools.long', 'undefined'],
    ['a tool that the option leaves out', 'typeof tools.left_out', 'undefined'],
  ])('%s', async (_, expression, value) => {
    expect(await endOf(`return ${expression}`)).toBe(value)
  })
})
