/** Tests what `edgeway migrate` reports of agents whose sessions would end, or whose session objects would not answer. */
// features: all
import { describe, expect, it } from 'vitest'
import { planMigration } from '../src/migrate.ts'
import { folderOf } from './folder.ts'
import { PROJECTS } from './projects.ts'

const agentWith = (members: string, fetch: string) => ({
  ...PROJECTS.agent,
  'src/index.ts': `import { McpAgent } from 'agents/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
export class MyMCP extends McpAgent<Env> {
  server = new McpServer({ name: 'a', version: '1' })
  async init() { this.fetch = fetch }
  ${members}
}
export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const url = new URL(request.url)
    const { pathname, host } = new URL(request.url)
    ${fetch}
  },
}
`,
})

const BOTH = `if (pathname === '/sse') return MyMCP.serveSSE('/sse').fetch(request, env, ctx)
    return MyMCP.serve('/mcp').fetch(request, env, ctx)`
const ONE = `return MyMCP.serve('/mcp').fetch(request, env, ctx)`

/** What the props contain that ends sessions; undefined where they may stay. */
const found = (files: Record<string, string>) =>
  planMigration(folderOf(files))
    .decisions.filter(({ code }) => code === 'session-ends-with-props')
    .map(({ line, why }) => `${line}: ${/contain (.*), which/.exec(why)?.[1]}`)

describe('the props of an agent that is served with HTTP+SSE', () => {
  it.each([
    'ctx.props = { url: request.url }',
    'ctx.props = { url }',
    'ctx.props = { url: url.href, a: 1 }',
    '(ctx as any).props = { a: { b: url.toString() } }',
    'ctx.props = { path: pathname }',
    'ctx.props.url = new URL(request.url)',
    'ctx.props = { url: c.req.raw.url }',
  ])('are found to contain the URL in %s', (line) => {
    expect(found(agentWith('', `${line}\n    ${BOTH}`))).toEqual(['12: the URL of the request'])
    expect(found(agentWith('', `${line}\n    ${ONE}`))).toEqual([])
    const cure = agentWith("static edgeway = { subject: 'user' }", `${line}\n    ${BOTH}`)
    expect(found(cure)).toEqual([])
  })

  it.each([
    "ctx.props = { token: url.searchParams.get('token') }",
    "ctx.props = { token: new URL(request.url).searchParams.get('token') }",
    'ctx.props = { host, origin: url.origin }',
    'ctx.props = { url: env.URL, pathname: 1 }',
    "ctx.props = { key: request.headers.get('x-key') }",
    'other.value = { url: request.url }',
  ])('may be %s', (line) => {
    expect(found(agentWith('', `${line}\n    ${BOTH}`))).toEqual([])
  })
})

describe('the props of an agent', () => {
  it.each([
    ['ctx.props = { at: Date.now() }', 'Date.now()'],
    ['ctx.props = { id: crypto.randomUUID() }', 'crypto.randomUUID()'],
    ['ctx.props = { headers: Object.fromEntries(request.headers) }', 'the headers of the request'],
  ])('are found to differ between requests in %s', (line, what) => {
    expect(found(agentWith('', `${line}\n    ${ONE}`))).toEqual([`12: ${what}`])
  })
})

describe('a method of the session object', () => {
  const members = (text: string) =>
    planMigration(folderOf(agentWith(text, ONE)))
      .decisions.filter(({ code }) => code === 'agent-member')
      .map(({ line, why }) => `${line}: ${why.split(' is not')[0]}`)

  it.each([
    ['constructor(c, e) { super(c, e); this.fetch = fetch }', '6: this.fetch ='],
    ['constructor(c, e) { super(c, e); (this as any).alarm = () => {} }', '6: this.alarm ='],
    ['fetch = fetch.bind(globalThis)', '6: The field fetch'],
    ['call = async () => {}', '6: The field call'],
  ])('that an agent replaces by %s is reported', (text, expected) => {
    expect(members(text)).toEqual([expected])
  })

  it('may be replaced in init(), and read', () => {
    expect(members('static fetch = 1\n  get() { return this.fetch }')).toEqual([])
  })
})
