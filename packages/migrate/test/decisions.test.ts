/** Tests what `edgeway migrate` reports for a person to decide, with its line and its guide. */
// features: all
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planMigration } from '../src/migrate.ts'
import type { DecisionCode } from '../src/plan.ts'
import { decided, type Files, folderOf, migrate, read, write } from './folder.ts'
import { PROJECTS, SIBLING, UNREACHED } from './projects.ts'

const AGENT = `import { McpAgent } from 'agents/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
export class MyMCP extends McpAgent<Env> {
  server = new McpServer({ name: 'a', version: '1' })
  async init() {}
`

/** The agent of a project with further lines, the first of which is line 6. */
const agentWith = (lines: string): Files => ({
  ...PROJECTS.agent,
  'src/index.ts': `${AGENT}${lines}\n}\n`,
})

const AGENTS: readonly (readonly [string, string, readonly string[]])[] = [
  ['a query', '  list() { return this.sql`select 1` }', ['agent-member 6']],
  ['storage of the object', '  get() { return this.ctx.storage.get("a") }', ['agent-member 6']],
  [
    'storage by a pattern',
    '  get() { const { storage } = this.ctx; return storage }',
    ['agent-member 6'],
  ],
  ['a schedule with a cast', '  later() { (this as any).schedule(1, "x") }', ['agent-member 6']],
  ['a method for requests', '  onRequest() { return new Response() }', ['agent-member 6']],
  ['an alarm', '  alarm() {}', ['agent-member 6']],
  ['a method of the session object', '  async call() {}', ['agent-member 6']],
  ['a member of its own with the same name', '  sql = 1\n  get() { return this.sql }', []],
  ['a static method with the same name', '  static alarm() {}', []],
  [
    '`this` of a function within',
    '  get() { return class { sql = 1; get() { return this.sql } } }',
    [],
  ],
  ['the name of the agent', '  key() { return this.name }', ['agent-member 6']],
  ['a method for workflows', '  onWorkflowProgress() {}', ['agent-member 6']],
  ['a member that a method sets', '  set() { this.queue = []; return this.queue }', []],
  [
    'the state and the id of a session in its constructor',
    '  constructor(c, e) { super(c, e); this.setState({}); f(this.state, this.getSessionId()) }',
    ['outside-of-calls 6', 'outside-of-calls 6', 'outside-of-calls 6'],
  ],
  [
    'the state in a handler of its constructor',
    "  constructor(c, e) { super(c, e); this.server.tool('a', () => this.state) }",
    [],
  ],
  ['the state', '  set() { this.setState({}); return this.props }', []],
]

describe('an agent with', () => {
  it.each(AGENTS)('%s', (_, lines, expected) => {
    const plan = planMigration(folderOf(agentWith(lines)))
    expect(decided(plan)).toEqual(expected.map((one) => one.replace(' ', ' src/index.ts:')))
  })

  it('a base class in another file is examined, and its Worker exports the keyring', () => {
    const plan = planMigration(
      folderOf({
        ...PROJECTS.agent,
        'src/base.ts': `import { McpAgent } from 'agents/mcp'\nexport abstract class Base extends McpAgent {}\n`,
        'src/index.ts': `import { Base } from './base'\nexport class MyMCP extends Base {\n  get() { return this.sql }\n}\n`,
      }),
    )
    expect(decided(plan)).toEqual(['agent-member src/index.ts:3'])
    expect(plan.edits.map(({ file }) => file)).toEqual([
      'src/base.ts',
      'src/index.ts',
      'wrangler.jsonc',
      'package.json',
    ])
  })
})

const HANDLER = `import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
`

const handlerWith = (lines: string): Files => ({
  ...PROJECTS.handler,
  'src/index.ts': `${HANDLER}${lines}\nexport default {}\n`,
})

const SERVERS: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'an option that is not carried',
    `createMcpHandler(f, { route: '/mcp', bus, 'eventStore': e })`,
    ['handler-option 2', 'handler-option 2'],
  ],
  [
    'another mode of responses',
    `createMcpHandler(f, { responseMode: 'json' })`,
    ['handler-option 2'],
  ],
  [
    'the default mode of responses',
    `createMcpHandler(f, { responseMode: 'auto', legacy: 'reject' })`,
    [],
  ],
  [
    'a function with the name of the handler',
    `function g(createMcpHandler) { createMcpHandler(f, { bus }) }`,
    [],
  ],
  ['a store of tasks', `new McpServer(info, { taskStore: store })`, ['task-tools 2']],
  ['a task tool', `server.experimental.tasks.registerToolTask('a', {}, {})`, ['task-tools 2']],
  ['a reserved method', `server.server.setRequestHandler('ping', f)`, ['reserved-method 2']],
  ['a method of an author', `server.server.setRequestHandler('tools/list', f)`, []],
  ['the token of the caller', `const f = (extra) => extra.authInfo?.token`, ['caller-token 2']],
  ['an internal member', `const f = (server as any)['_registeredTools']`, ['internal-member 2']],
  ['a member of its own', `class A { _transport = 1; f() { return this._transport } }`, []],
  ['another token', `const f = (login) => login.token`, []],
  [
    'a change of a list',
    `server.sendToolListChanged()\nserver.sendToolListChanged()`,
    ['changes-need-feature 2'],
  ],
  [
    'a question at the beginning of a handler',
    `server.tool('a', async () => { const r = await server.server.elicitInput(q); await book(r) })`,
    ['questions-need-keys 2'],
  ],
  [
    'a question after work',
    `server.tool('a', async () => {\n  const hold = await book()\n  await server.server.elicitInput(q)\n})`,
    ['questions-need-keys 4', 'ask-runs-again 4'],
  ],
  [
    'a question after a step',
    `server.tool('a', async () => {\n  const hold = await getContext().step('hold', book)\n  await server.server.elicitInput(q)\n})`,
    ['questions-need-keys 4'],
  ],
  [
    'a registration in a handler',
    `server.registerTool('a', {}, async () => {\n  server.tool('b', f)\n})`,
    ['registration-in-handler 3'],
  ],
  [
    'a tool that a handler removes',
    `let one\nserver.tool('a', async () => { one = server.registerTool('b', {}, f) })\nserver.tool('c', async () => { one?.remove(); other.remove() })`,
    ['registration-in-handler 3', 'registration-in-handler 4'],
  ],
  [
    'a method of another object in a handler',
    `server.tool('a', async () => api.resource('b').update())`,
    [],
  ],
  [
    'registrations in a function',
    `const register = (server) => { const one = server.tool('a', f); one.disable() }`,
    [],
  ],
  [
    'a transport in an agent',
    `import { Agent } from 'agents'\nimport { WorkerTransport } from 'agents/mcp'\nclass A extends Agent {\n  transport = new WorkerTransport()\n}`,
    ['transport 3', 'transport 5'],
  ],
  [
    'a server that runs code',
    `import { codeMcpServer } from '@cloudflare/codemode/mcp'\nimport { generateTypes } from '@cloudflare/codemode'`,
    ['feature-needed 2'],
  ],
  ['`import.meta.url`', `const here = fileURLToPath(import.meta.url)`, ['node-only 2']],
  [
    '`import.meta.url` behind a condition',
    `const here = import.meta.url ? f(import.meta.url) : undefined`,
    [],
  ],
  ['files of the computer', `import { readFile } from 'node:fs/promises'`, ['node-only 2']],
  ['files by the name without a scheme', `import * as fs from 'fs'`, ['node-only 2']],
  ['programs', `import { execFile } from 'child_process'`, ['node-only 2']],
  ['types of files', `import type { Stats } from 'node:fs'`, []],
  ['`__dirname`', `const here = join(__dirname, 'a')`, ['node-only 2']],
  ['arguments of the command line', `const [, , name] = process.argv`, ['node-only 2']],
  ['variables of the environment', `const key = process.env.KEY`, []],
]

describe('a server with', () => {
  it.each(SERVERS)('%s', (_, lines, expected) => {
    const plan = planMigration(folderOf(handlerWith(lines)))
    expect(decided(plan).toSorted()).toEqual(
      expected.map((one) => one.replace(' ', ' src/index.ts:')).toSorted(),
    )
  })

  it('questions and the secret of its keys has nothing to decide', () => {
    const files = handlerWith(`const f = async () => server.server.elicitInput(q)`)
    const configuration = `{ "main": "src/index.ts", "secrets": { "required": ["EDGEWAY_SECRET"] } }`
    const plan = planMigration(folderOf({ ...files, 'wrangler.jsonc': configuration }))
    expect(decided(plan)).toEqual([])
  })

  it('tools of MCP Apps passes its server as another type', () => {
    const line = `import { registerAppTool } from '@modelcontextprotocol/ext-apps/server'\nregisterAppTool(server, 'a', {}, f)\nregisterAppTool(server as never, 'b', {}, f)`
    const plan = planMigration(folderOf(handlerWith(line)))
    expect(decided(plan)).toEqual(['feature-needed src/index.ts:3'])
    expect(plan.edits.find(({ file }) => file === 'src/index.ts')?.after).toContain(
      `registerAppTool(server as never, 'a', {}, f)\nregisterAppTool(server as never, 'b', {}, f)`,
    )
  })
})

describe('the configuration of a Worker with', () => {
  it.each([
    ['a path that is none', `MyMCP.serve('/')`, 'path-not-served'],
    ['a pattern', `MyMCP.serveSSE('/mcp/:org')`, 'path-not-served'],
    [
      'a binding that it does not have',
      `MyMCP.serve('/mcp', { binding: 'OTHER' })`,
      'binding-missing',
    ],
  ])('%s', (_, call, code) => {
    const files = { ...PROJECTS.agent, 'src/index.ts': `${AGENT}}\nexport default ${call}\n` }
    expect(decided(planMigration(folderOf(files)))).toEqual([`${code} src/index.ts:7`])
  })

  it('an agent that is served by its base', () => {
    const files = {
      ...PROJECTS.agent,
      'src/index.ts': `${AGENT}}\nexport default McpAgent.serve('/mcp')\n`,
    }
    expect(decided(planMigration(folderOf(files)))).toEqual(['agent-member src/index.ts:7'])
  })

  it('an agent that another file serves', () => {
    const app = `import { MyMCP } from './agent'\nexport const handler = MyMCP.serve('/', { jurisdiction: 'eu', binding: 'OTHER' })\n`
    const files = {
      ...PROJECTS.agent,
      'src/agent.ts': `${AGENT}}\n`,
      'src/app.ts': app,
      'src/index.ts': `export { MyMCP } from './agent'\nexport { handler as default } from './app'\n`,
    }
    expect(decided(planMigration(folderOf(files))).toSorted()).toEqual([
      'binding-missing src/app.ts:2',
      'entry-elsewhere src/index.ts:1',
      'path-not-served src/app.ts:2',
    ])
  })

  it('two agents at one binding', () => {
    const other = `class Other extends McpAgent { async init() {} }\nMyMCP.serve('/a')\nOther.serve('/b')\n`
    const files = { ...PROJECTS.agent, 'src/index.ts': `${AGENT}}\n${other}` }
    expect(decided(planMigration(folderOf(files)))).toEqual(['binding-missing src/index.ts:9'])
  })

  it('an agent whose class has no SQLite', () => {
    const configuration = `name = "a"\nmain = "src/index.ts"\n[[durable_objects.bindings]]\nname = "MCP_OBJECT"\nclass_name = "MyMCP"\n[[migrations]]\ntag = "v1"\nnew_classes = ["MyMCP"]\n`
    const { 'wrangler.jsonc': _, ...files } = PROJECTS.agent
    const plan = planMigration(folderOf({ ...files, 'wrangler.toml': configuration }))
    expect(decided(plan)).toEqual(['migration-needed wrangler.toml:6'])
  })

  it('classes that are declared by exports', () => {
    const configuration = `{
  "main": "src/index.ts",
  "durable_objects": { "bindings": [{ "name": "MCP_OBJECT", "class_name": "MyMCP" }] },
  "exports": { "MyMCP": { "type": "durable-object", "storage": "sqlite" } }
}`
    const plan = planMigration(folderOf({ ...PROJECTS.agent, 'wrangler.jsonc': configuration }))
    expect(decided(plan)).toEqual(['migration-needed wrangler.jsonc:4'])
  })

  it.each([
    ['a variable', `let Base = McpAgent\nexport class MyMCP extends Base { async init() {} }`],
    ['a function', `const make = () => class extends McpAgent {}\nexport const MyMCP = make()`],
  ])('an agent whose class comes from %s, until it has the class of Edgeway', (_, text) => {
    const folder = folderOf({
      ...PROJECTS.agent,
      'src/index.ts': `import { McpAgent } from 'agents/mcp'\n${text}\nexport default MyMCP.serve('/mcp')\n`,
    })
    expect(decided(migrate(folder))).toEqual(['binding-missing src/index.ts:1'])
    expect(decided(migrate(folder))).toEqual(['binding-missing src/index.ts:1'])
    const configuration = read(folder, 'wrangler.jsonc').replace(
      '"bindings": [',
      '"bindings": [{ "name": "MCP_OBJECTS", "class_name": "McpObjects" }, ',
    )
    write(folder, 'wrangler.jsonc', configuration)
    expect(decided(migrate(folder))).toEqual([])
  })

  it('no binding of an agent whose options are not written out', () => {
    const source = (options: string) =>
      `import { McpAgent } from 'agents/mcp'\nimport { options } from './options'\nexport class MyMCP extends McpAgent { async init() {} }\nexport default MyMCP.serve('/mcp', ${options})\n`
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace('MCP_OBJECT', 'NOTES') ?? ''
    const files = { ...PROJECTS.agent, 'wrangler.jsonc': configuration }
    for (const options of ['options', '{ ...options }', '{ [options.name]: 1 }']) {
      expect(
        decided(planMigration(folderOf({ ...files, 'src/index.ts': source(options) }))),
      ).toEqual([])
    }
    expect(
      decided(
        planMigration(folderOf({ ...files, 'src/index.ts': source('{ corsOptions: options }') })),
      ),
    ).toEqual(['binding-missing src/index.ts:4'])
  })

  it('a binding of the class of Edgeway that has another class', () => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace(
      '"bindings": [',
      '"bindings": [{ "name": "MCP_OBJECTS", "class_name": "Other" }, ',
    )
    const folder = folderOf({ ...PROJECTS.agent, 'wrangler.jsonc': configuration ?? '' })
    expect(decided(migrate(folder))).toEqual(['binding-missing wrangler.jsonc:1'])
    expect(read(folder, 'wrangler.jsonc').match(/"MCP_OBJECTS"/g)).toHaveLength(1)
    expect(decided(migrate(folder))).toEqual(['binding-missing wrangler.jsonc:1'])
  })

  it('a configuration without a main module', () => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace(/"main": "[^"]*",/, '')
    const plan = planMigration(
      folderOf({ ...PROJECTS.agent, 'wrangler.jsonc': configuration ?? '' }),
    )
    expect(decided(plan)).toContain('entry-elsewhere wrangler.jsonc:1')
  })

  it('a main module that is built', () => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace('src/index.ts', 'dist/index.js')
    const plan = planMigration(
      folderOf({
        ...PROJECTS.agent,
        'wrangler.jsonc': configuration ?? '',
        'dist/index.js': 'export default {}',
      }),
    )
    expect(decided(plan)).toEqual(['entry-elsewhere wrangler.jsonc:1'])
  })
})

/** An agent behind a provider whose callback changes the props. */
const behindProvider = (range: string, lines = ''): Files => ({
  ...PROJECTS.agent,
  'src/index.ts': `${AGENT}${lines}}\nexport { default } from './provider'\n`,
  'src/provider.ts': `import { OAuthProvider } from '@cloudflare/workers-oauth-provider'\nimport { MyMCP } from './index'\nexport default new OAuthProvider({ apiHandler: MyMCP.serve('/mcp'), tokenExchangeCallback })\n`,
  'package.json': JSON.stringify({
    dependencies: {
      '@cloudflare/workers-oauth-provider': range,
      '@modelcontextprotocol/sdk': '^1.30.0',
      agents: '^0.17.0',
      zod: '^4.3.6',
    },
  }),
})

describe('a project', () => {
  it.each([
    ['^0.8.1', '', ['session-ends-with-props src/provider.ts:3']],
    ['0.0.13', '', ['session-ends-with-props src/provider.ts:3']],
    ['^0.8.1', '  static edgeway = { subject: ({ login }) => login }\n', []],
    ['^1.0.0', '', []],
    ['^10.1.0', '', []],
  ])('whose props change with each token of the provider %s%s', (range, lines, expected) => {
    expect(decided(planMigration(folderOf(behindProvider(range, lines))))).toEqual(expected)
  })

  it('whose agent is bound under the name of its export receives the binding, and a person exports the class', () => {
    const files = {
      ...PROJECTS.agent,
      'src/index.ts': `${AGENT}}\nexport { MyMCP as Exported }\nexport default {}\n`,
      'wrangler.jsonc': PROJECTS.agent['wrangler.jsonc']?.replaceAll('"MyMCP"', '"Exported"') ?? '',
    }
    const plan = planMigration(folderOf(files))
    expect(decided(plan)).toEqual(['entry-elsewhere src/index.ts:1'])
    expect(plan.edits.find(({ file }) => file === 'wrangler.jsonc')?.after).toContain('MCP_OBJECTS')
  })

  it('whose agent has no binding names the class', () => {
    const files = {
      ...PROJECTS.agent,
      'src/index.ts': `${AGENT}}\nexport default {}\n`,
      'wrangler.jsonc': '{ "main": "src/index.ts" }',
    }
    expect(decided(planMigration(folderOf(files)))).toEqual(['binding-missing wrangler.jsonc:1'])
  })

  it('with tests that connect a server in memory names the call', () => {
    const test = `import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
const client = new Client({ name: 'a', version: '1' })
await server.connect(serverTransport)
await client.connect(clientTransport)
`
    const plan = planMigration(folderOf({ ...PROJECTS.agent, 'test/server.test.ts': test }))
    expect(decided(plan)).toEqual(['connects-transport test/server.test.ts:5'])
    expect(plan.decisions[0]?.guide).toContain('testing.md')
  })

  it('with declarations of the SDK names them, and changes none', () => {
    const declarations = `export type { Tool } from '@modelcontextprotocol/sdk/types.js'\n`
    const plan = planMigration(folderOf({ ...PROJECTS.agent, 'src/tools.d.ts': declarations }))
    expect(decided(plan)).toEqual(['generated-declarations src/tools.d.ts:1'])
    expect(plan.edits.map(({ file }) => file)).not.toContain('src/tools.d.ts')
  })

  it.each([
    ['3.23.8', ['dependency package.json:7']],
    ['~4.1.0', ['dependency package.json:7']],
    ['^3.23.0', []],
    ['3.25.76', []],
    ['4.2.0', []],
    ['latest', []],
  ])('with zod %s', (range, expected) => {
    const text = PROJECTS.agent['package.json']?.replace('"^4.3.6"', JSON.stringify(range)) ?? ''
    const plan = planMigration(folderOf({ ...PROJECTS.agent, 'package.json': text }))
    expect(decided(plan)).toEqual(expected.map((one) => one.replace(':7', ':8')))
  })
})

const GUIDES = resolve(import.meta.dirname, '../../../docs/guides')

/** The anchors of the headings of a guide, as GitHub makes them. */
function anchorsOf(file: string): readonly string[] {
  const headings = readFileSync(join(GUIDES, file), 'utf8').match(/^#+ .*$/gm) ?? []
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** Every code, with a project that has it. */
const EVERY: Readonly<Record<DecisionCode, Files>> = {
  'agent-member': agentWith('  alarm() {}'),
  'ask-runs-again': handlerWith(`async () => { await a(); await s.elicitInput(q) }`),
  authorization: handlerWith(`import '@modelcontextprotocol/sdk/server/auth/router.js'`),
  'binding-missing': agentWith(`  get() { return MyMCP.serve('/mcp', { binding: 'B' }) }`),
  'caller-token': handlerWith('authInfo.token'),
  'changes-need-feature': handlerWith('server.sendToolListChanged()'),
  'configuration-missing': { 'index.js': HANDLER },
  'connects-transport': PROJECTS.quickStart,
  dependency: {
    ...PROJECTS.agent,
    'package.json': '{ "dependencies": { "zod": "3.0.0" } }',
  },
  'entry-elsewhere': {
    ...PROJECTS.agent,
    'wrangler.jsonc': PROJECTS.agent['wrangler.jsonc']?.replace('src/index.ts', 'x.js') ?? '',
  },
  'feature-needed': handlerWith(
    `import { registerAppTool } from '@modelcontextprotocol/ext-apps/server'\nregisterAppTool(s)`,
  ),
  'generated-declarations': { ...PROJECTS.agent, 'a.d.ts': `import 'agents/mcp'` },
  'handler-option': handlerWith('createMcpHandler(f, { bus })'),
  'internal-member': handlerWith('(server as any)._registeredTools'),
  'migration-needed': {
    ...PROJECTS.agent,
    'wrangler.jsonc': PROJECTS.agent['wrangler.jsonc']?.replace('new_sqlite', 'new') ?? '',
  },
  'mocked-module': handlerWith(`vi.mock('agents/mcp')`),
  'module-as-a-whole': handlerWith(`export * from 'agents/mcp'`),
  'module-unknown': handlerWith(`import '@modelcontextprotocol/sdk/other.js'`),
  'name-not-carried': handlerWith(`import { Other } from 'agents/mcp'`),
  'node-only': handlerWith('import.meta.url'),
  'other-framework': handlerWith(`import { FastMCP } from 'fastmcp'`),
  'other-handler': handlerWith(`import 'mcp-handler'`),
  'outside-of-calls': agentWith('  constructor(c, e) { super(c, e); this.setState({}) }'),
  'path-not-served': agentWith(`  get() { return MyMCP.serve('/') }`),
  'questions-need-keys': handlerWith('s.elicitInput(q)'),
  'registration-in-handler': handlerWith(`s.tool('a', () => s.tool('b', f))`),
  'reserved-method': handlerWith(`s.setRequestHandler('initialize', f)`),
  'server-elsewhere': SIBLING,
  'server-not-reached': UNREACHED,
  'session-ends-with-props': behindProvider('^0.8.1'),
  'task-tools': handlerWith('s.registerToolTask()'),
  transport: handlerWith(`import '@modelcontextprotocol/sdk/server/sse.js'`),
}

describe('the decision', () => {
  it('about a server of mcp-lite names its own section', () => {
    const plan = planMigration(folderOf(handlerWith(`import 'mcp-lite'`)))
    const found = plan.decisions.find(({ code }) => code === 'other-framework')
    expect(found?.guide).toMatch(/migrate\.md#from-mcp-lite$/)
    expect(anchorsOf('migrate.md')).toContain('from-mcp-lite')
  })

  it.each(Object.entries(EVERY))('%s has a sentence, and a guide that exists', (code, files) => {
    const found = planMigration(folderOf(files)).decisions.filter((one) => one.code === code)
    expect(found.length).toBeGreaterThan(0)
    for (const { why, guide } of found) {
      expect(why).not.toMatch(/[.\n]$/)
      const [, file = '', anchor] =
        /^node_modules\/edgeway\/docs\/guides\/([\w-]+\.md)(?:#(.+))?$/.exec(guide) ?? []
      expect(
        anchor === undefined ? anchorsOf(file).length > 0 : anchorsOf(file).includes(anchor),
      ).toBe(true)
    }
  })
})
