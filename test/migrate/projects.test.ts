/** Tests `edgeway migrate` on whole projects: what it writes, and that a second run changes nothing. */
// features: all
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { exportedNames } from '../../cli/migrate/exported-names.ts'
import { planMigration } from '../../cli/migrate/migrate.ts'
import { homeOf } from '../../cli/migrate/modules.ts'
import { parseSource } from '../../cli/migrate/source-file.ts'
import { version } from '../../cli/version.ts'
import { changed, decided, type Files, folderOf, migrate, read, write } from './folder.ts'
import { PROJECTS, type ProjectName } from './projects.ts'

const NAMES = Object.keys(PROJECTS) as ProjectName[]

/** Every file of a folder with its bytes. */
function contentsOf(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'latin1')]),
  )
}

const withCrlf = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
  )
const withMark = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, `\uFEFF${text}`]))

describe.each(NAMES)('the project %s', (name) => {
  it.each([
    ['as it is', (files: Files) => files],
    ['with CRLF', withCrlf],
    ['with byte order marks', withMark],
  ])('%s is not changed by a second run', (_, form) => {
    const folder = folderOf(form(PROJECTS[name]))
    const first = migrate(folder)
    expect(first.edits.length).toBeGreaterThan(0)
    const after = contentsOf(folder)
    const second = migrate(folder)
    expect(second.edits).toEqual([])
    expect(contentsOf(folder)).toEqual(after)
    expect(second.decisions.map(({ why }) => why)).toEqual(first.decisions.map(({ why }) => why))
  })

  it('keeps line breaks and byte order marks', () => {
    const folder = folderOf(withMark(withCrlf(PROJECTS[name])))
    migrate(folder)
    for (const path of Object.keys(PROJECTS[name])) {
      expect(read(folder, path).startsWith('\uFEFF')).toBe(true)
      expect(read(folder, path).replaceAll('\r\n', '')).not.toContain('\n')
    }
  })

  it('keeps every line but those of imports, configuration and dependencies', () => {
    const plan = planMigration(folderOf(PROJECTS[name]))
    for (const { file, before = '', after } of plan.edits) {
      const lost = before.split('\n').filter((line) => !after.includes(line.replace(/,?$/, '')))
      const expected =
        file === 'package.json'
          ? /"(?:@modelcontextprotocol|agents)/
          : /from ['"]|"bindings|^\{|# the agent|createMcpHandler/
      expect(lost.filter((line) => !expected.test(line))).toEqual([])
    }
  })

  it('has a configuration that wrangler reads, which creates each class that it binds', () => {
    const folder = folderOf(PROJECTS[name])
    migrate(folder)
    const file = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'].find((one) =>
      existsSync(join(folder, one)),
    )
    const config = join(folder, file ?? '')
    const { durable_objects, migrations, main } = unstable_readConfig(
      { config },
      { hideWarnings: true },
    )
    const created = migrations.flatMap(({ new_sqlite_classes = [], renamed_classes = [] }) => [
      ...new_sqlite_classes,
      ...renamed_classes.map(({ to }) => to),
    ])
    expect(created).toEqual(
      expect.arrayContaining(
        durable_objects.bindings.map((binding: { class_name: string }) => binding.class_name),
      ),
    )
    expect(existsSync(main ?? '')).toBe(true)
  })
})

describe('an agent', () => {
  it('moves with its imports, export, binding, migration and dependencies', () => {
    const files = changed(planMigration(folderOf(PROJECTS.agent)))
    expect(files['src/index.ts']).toBe(
      PROJECTS.agent['src/index.ts']
        ?.replace('@modelcontextprotocol/sdk/server/mcp.js', 'edgeway/sdk')
        .replace('agents/mcp', 'edgeway/agents')
        .replace('from "zod";\n', 'from "zod";\nexport { McpKeyring } from "edgeway/agents";\n'),
    )
    expect(files['wrangler.jsonc']).toBe(
      PROJECTS.agent['wrangler.jsonc']
        ?.replace(
          '"tag": "v1"\n\t\t}',
          '"tag": "v1"\n\t\t},\n\t\t{ "tag": "v2", "new_sqlite_classes": ["McpKeyring"] }',
        )
        .replace(
          '"name": "MCP_OBJECT"\n\t\t\t}',
          '"name": "MCP_OBJECT"\n\t\t\t},\n\t\t\t{ "name": "MCP_KEYRING", "class_name": "McpKeyring" }',
        ),
    )
    expect(JSON.parse(files['package.json'] ?? '').dependencies).toEqual({
      edgeway: `^${version}`,
      zod: '^4.3.6',
    })
  })

  it.each(['@/agent', '~/agent', 'src/agent', '#src/agent.js', '../src/agent'])(
    'that its main module imports as %s is found',
    (specifier) => {
      const { 'src/index.ts': source = '', ...files } = PROJECTS.agent
      const main = `import { MyMCP } from '${specifier}'\nexport { MyMCP }\nexport default MyMCP.serve('/mcp')\n`
      const plan = planMigration(
        folderOf({ ...files, 'src/index.ts': main, 'src/agent.ts': source }),
      )
      expect(Object.keys(changed(plan))).toEqual([
        'src/agent.ts',
        'src/index.ts',
        'wrangler.jsonc',
        'package.json',
      ])
    },
  )

  it.each([
    ['a setting', 'tsconfig.json', '{ "extends": "agents/tsconfig" }'],
    ['a source', 'src/other.ts', `import { Agent } from 'agents'`],
    ['the mock of a test', 'test/a.test.ts', `vi.mock('agents', () => ({}))`],
  ])(
    'keeps the dependency agents where %s names it, and the SDK that it needs',
    (_, path, text) => {
      const files = changed(planMigration(folderOf({ ...PROJECTS.agent, [path]: text })))
      const { dependencies } = JSON.parse(files['package.json'] ?? '')
      expect(Object.keys(dependencies)).toEqual([
        '@modelcontextprotocol/sdk',
        'agents',
        'edgeway',
        'zod',
      ])
    },
  )

  it('loses the dependency agents where the word is no module', () => {
    const text = `const folder = 'agents'\nconst path = "agents/list"\n`
    const files = changed(planMigration(folderOf({ ...PROJECTS.agent, 'src/other.ts': text })))
    expect(JSON.parse(files['package.json'] ?? '').dependencies).not.toHaveProperty('agents')
  })

  it('with the keyring of a secret receives no binding', () => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace(
      '"observability"',
      '"secrets": { "required": ["EDGEWAY_SECRET"] },\n\t"observability"',
    )
    const files = changed(
      planMigration(folderOf({ ...PROJECTS.agent, 'wrangler.jsonc': configuration ?? '' })),
    )
    expect(Object.keys(files)).toEqual(['src/index.ts', 'package.json'])
    expect(files['src/index.ts']).not.toContain('McpKeyring')
  })

  it('whose main module exports the keyring already exports it once', () => {
    const source = `${PROJECTS.agent['src/index.ts']}export { McpKeyring } from './objects'\n`
    const files = changed(planMigration(folderOf({ ...PROJECTS.agent, 'src/index.ts': source })))
    expect(files['src/index.ts']?.match(/McpKeyring/g)).toHaveLength(1)
  })
})

describe('a server that was no Worker', () => {
  it('receives an entry for its factory, and a configuration', () => {
    const files = changed(planMigration(folderOf(PROJECTS.stdio)))
    expect(files['src/worker.ts']).toBe(`import { createEdgeway } from 'edgeway'
import { changes } from 'edgeway/changes'
import { sessions } from 'edgeway/sessions'
import { createServer } from './server.js'

const edgeway = createEdgeway(() => createServer(), {
  info: { name: 'notes-server', version: '1.2.3' },
  features: [sessions(), changes()],
})
export default edgeway
export const { McpHub, McpKeyring, McpSession } = edgeway.objects
`)
    expect(JSON.parse(files['wrangler.jsonc'] ?? '')).toMatchObject({
      name: 'notes',
      main: 'src/worker.ts',
      migrations: [{ tag: 'v1', new_sqlite_classes: ['McpKeyring', 'McpSession', 'McpHub'] }],
    })
    expect(Object.keys(files)).not.toContain('src/index.ts')
  })

  it('in one file with its transport keeps the transport, and names its lines', () => {
    const plan = planMigration(folderOf(PROJECTS.quickStart))
    expect(decided(plan)).toEqual([
      'transport index.mjs:2',
      'connects-transport index.mjs:8',
      'node-only index.mjs:14',
    ])
    const [, ...rest] = PROJECTS.quickStart['index.mjs']?.split('\n') ?? []
    expect(changed(plan)['index.mjs']).toBe(
      ["import { McpServer } from 'edgeway/sdk'", ...rest].join('\n'),
    )
    expect(JSON.parse(changed(plan)['wrangler.jsonc'] ?? '').main).toBe('index.mjs')
  })

  it('keeps a file that has the name of the entry', () => {
    const files = { ...PROJECTS.stdio, 'src/worker.ts': 'export const mine = 1\n' }
    const plan = planMigration(folderOf(files))
    expect(Object.keys(changed(plan))).not.toContain('src/worker.ts')
    expect(plan.decisions.map(({ code }) => code)).toContain('connects-transport')
  })
})

describe('a program beside the Worker', () => {
  it('keeps the SDK, with the files that it alone imports', () => {
    const plan = planMigration(folderOf(PROJECTS.beside))
    expect(Object.keys(changed(plan))).toEqual(['src/index.ts', 'wrangler.jsonc', 'package.json'])
    expect(JSON.parse(changed(plan)['package.json'] ?? '').dependencies).toHaveProperty(
      '@modelcontextprotocol/sdk',
    )
    expect(decided(plan)).toEqual(['connects-transport src/stdio.ts:7'])
  })
})

describe('a folder', () => {
  it('of a monorepo leaves other projects, built files, hidden folders and links as they are', () => {
    const old = `import { McpAgent } from 'agents/mcp'\n`
    const folder = folderOf({
      ...PROJECTS.agent,
      'packages/other/package.json': '{ "name": "other" }',
      'packages/other/index.ts': old,
      'node_modules/agents/index.js': old,
      'dist/index.js': old,
      '.wrangler/tmp/index.js': old,
      'vendor/.git': 'gitdir: ../.git/modules/vendor',
      'vendor/index.ts': old,
      'src/bundle.js': `${old}//${'x'.repeat(2 * 1024 * 1024)}`,
      'lib/package.json': '{ "type": "commonjs" }',
      'lib/types.cts': old,
      'wrangler.staging.jsonc': '{ "main": "src/index.ts" }',
    })
    const outside = folderOf({ 'linked.ts': old, 'linked/index.ts': old })
    symlinkSync(join(outside, 'linked.ts'), join(folder, 'src/linked.ts'))
    symlinkSync(join(outside, 'linked'), join(folder, 'src/linked'))
    symlinkSync(folder, join(folder, 'src/again'))
    const plan = migrate(folder)
    expect(plan.edits.map(({ file }) => file)).toEqual([
      'lib/types.cts',
      'src/index.ts',
      'wrangler.jsonc',
      'package.json',
    ])
    expect(read(outside, 'linked.ts')).toBe(old)
    expect(plan.notes).toContain(
      'Other projects below the folder were not changed: packages/other, vendor',
    )
    expect(plan.notes).toContain('Sources of more than 2 MiB were not read: src/bundle.js')
    expect(plan.notes).toContain('Other configurations were not changed: wrangler.staging.jsonc')
  })

  it('with several projects and none of its own names them', () => {
    const folder = folderOf({
      'package.json': '{ "workspaces": ["apps/*"] }',
      'apps/a/package.json': '{ "name": "a" }',
      'apps/a/wrangler.toml': 'name = "a"',
      'apps/b/wrangler.jsonc': '{}',
    })
    expect(() => planMigration(folder)).toThrow(/apps\/b, apps\/a.*npx edgeway migrate apps\/b/)
  })

  it('whose configuration is in a folder below finds the main module beside it', () => {
    const { 'wrangler.jsonc': configuration = '', ...files } = PROJECTS.agent
    const folder = folderOf({
      ...files,
      'worker/wrangler.jsonc': configuration.replace('src/', '../src/'),
    })
    expect(migrate(folder).edits.map(({ file }) => file)).toEqual([
      'src/index.ts',
      'worker/wrangler.jsonc',
      'package.json',
    ])
  })

  it('that has nothing to do with the SDKs has nothing to change', () => {
    const plan = planMigration(
      folderOf({
        'package.json': '{}',
        'index.js': 'export default {}',
        'wrangler.toml': 'name = "a"',
      }),
    )
    expect(plan).toMatchObject({ edits: [], decisions: [], from: [] })
  })

  it('of a client has nothing to change', () => {
    const source = `import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
const client = new Client({ name: 'a', version: '1' })
await client.connect(new StdioClientTransport({ command: 'a' }))
`
    const configuration = '{ "main": "src/index.ts" }'
    const files = { 'package.json': '{}', 'tsconfig.json': '{}', 'src/index.ts': source }
    const nothing = { edits: [], decisions: [] }
    expect(planMigration(folderOf(files))).toMatchObject(nothing)
    expect(planMigration(folderOf({ ...files, 'wrangler.jsonc': configuration }))).toMatchObject(
      nothing,
    )
  })

  it('without package.json moves its sources', () => {
    const { 'package.json': _, ...files } = PROJECTS.agent
    expect(migrate(folderOf(files)).edits.map(({ file }) => file)).toEqual([
      'src/index.ts',
      'wrangler.jsonc',
    ])
  })

  it.each([
    [
      'a syntax error',
      'src/index.ts',
      `import { McpAgent } from 'agents/mcp'\nclass {`,
      /^src\/index\.ts:2:7 cannot be parsed/,
    ],
    [
      'a name that is declared twice',
      'src/a.ts',
      `import 'agents/mcp'\nconst a = 1\nconst a = 2`,
      /^src\/a\.ts:3:7 cannot be parsed/,
    ],
    [
      'another encoding',
      'src/index.ts',
      `\u00fe import 'agents/mcp'`,
      /^src\/index\.ts is not UTF-8/,
    ],
    [
      'a fault in package.json',
      'package.json',
      '{ "name": }',
      /^package\.json:1:11 cannot be parsed/,
    ],
    [
      'dependencies of another form',
      'package.json',
      '{ "dependencies": [] }',
      /^package\.json has dependencies of a form/,
    ],
    [
      'a configuration of another form',
      'wrangler.jsonc',
      '[]',
      /^wrangler\.jsonc has a form that cannot be extended/,
    ],
    ['an empty configuration', 'wrangler.jsonc', '', /^wrangler\.jsonc:1:1 cannot be parsed/],
    [
      'a fault in the configuration',
      'wrangler.jsonc',
      '{ "main": ',
      /^wrangler\.jsonc:1:\d+ cannot be parsed/,
    ],
  ])('with %s is not changed, and the place is named', (_, path, text, message) => {
    const folder = folderOf(PROJECTS.agent)
    write(folder, path, Buffer.from(text, 'latin1'))
    const before = contentsOf(folder)
    expect(() => migrate(folder)).toThrow(message)
    expect(contentsOf(folder)).toEqual(before)
  })

  it('with a fault in a file that has nothing to do with the move is moved', () => {
    const plan = migrate(folderOf({ ...PROJECTS.agent, 'src/other.ts': 'class {' }))
    expect(plan.edits).toHaveLength(3)
  })

  it('whose configuration is a symbolic link is refused', () => {
    const { 'wrangler.jsonc': configuration = '', ...files } = PROJECTS.agent
    const folder = folderOf(files)
    const outside = folderOf({ 'wrangler.jsonc': configuration })
    symlinkSync(join(outside, 'wrangler.jsonc'), join(folder, 'wrangler.jsonc'))
    expect(() => migrate(folder)).toThrow(/wrangler\.jsonc is a symbolic link/)
    expect(read(outside, 'wrangler.jsonc')).toBe(configuration)
  })

  it('that does not exist, is a file, or is in node_modules is refused', () => {
    const folder = folderOf({ 'a.txt': '' })
    mkdirSync(join(folder, 'node_modules/a'), { recursive: true })
    expect(() => planMigration(join(folder, 'b'))).toThrow(/There is no folder/)
    expect(() => planMigration(join(folder, 'a.txt'))).toThrow(/is a file/)
    expect(() => planMigration(join(folder, 'node_modules/a'))).toThrow(/is in node_modules/)
  })
})

describe('the names of edgeway/sdk', () => {
  it('are read from its sources', () => {
    const names = exportedNames('sdk')
    expect(names.get('McpServer')).toBe('value')
    expect(names.get('CallToolResult')).toBe('type')
    expect(names.get('McpHandler')).toBe('type')
    expect(names.has('LATEST_PROTOCOL_VERSION')).toBe(false)
    expect([...exportedNames('agents').keys()]).toContain('McpAgent')
  })

  it('of another meaning than in the SDK do not move', async () => {
    const types = await import('@modelcontextprotocol/sdk/types.js')
    const values = Object.keys(types).filter((name) => exportedNames('sdk').get(name) === 'type')
    expect(values.filter((name) => homeOf('sdk-1', name) !== undefined)).toEqual([])
  })
})

const MOVED = resolve(import.meta.dirname, '../moving')

/** The servers of other makers that were moved by hand. */
function movedServers(): readonly string[] {
  const entries = readdirSync(MOVED, { recursive: true, withFileTypes: true })
  return entries
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts') && /servers/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('a server that was moved by hand', () => {
  const servers = movedServers().filter((file) =>
    /src\/(?:sdk|agents)\/index/.test(readFileSync(file, 'utf8')),
  )

  it.each(servers.map((file) => [file.slice(MOVED.length + 1), file]))(
    '%s is the same when it is moved from the SDK',
    async (_, file) => {
      const types = await import('@modelcontextprotocol/sdk/types.js')
      const byHand = readFileSync(file, 'utf8')
        .replace(/'(?:\.\.\/)+src\/sdk\/index\.ts'/g, "'edgeway/sdk'")
        .replace(/'(?:\.\.\/)+src\/agents\/index\.ts'/g, "'edgeway/agents'")
      const before = byHand
        .replace(
          /import \{ (.*) \} from 'edgeway\/agents'/,
          (_, names: string) =>
            `import { ${names.replace('type AgentOptions, ', '')} } from 'agents/mcp'`,
        )
        .replace(/import (type )?\{([^}]*)\} from 'edgeway\/sdk'/g, (_, type = '', names: string) =>
          importsOfSdk(
            type,
            names
              .split(',')
              .map((one) => one.trim())
              .filter((one) => one !== ''),
            Object.keys(types),
          ),
        )
      const folder = folderOf({ 'index.ts': before })
      migrate(folder)
      expect(importsOf(read(folder, 'index.ts'))).toEqual(
        importsOf(byHand.replace('type AgentOptions, ', '')),
      )
    },
  )

  it('exists', () => expect(servers.length).toBeGreaterThan(8))
})

/** Imports from the modules of the SDK 1.x in which the names are. */
function importsOfSdk(type: string, names: readonly string[], values: readonly string[]): string {
  const isOfServer = (name: string) =>
    /^(?:type )?(?:McpServer|ResourceTemplate|\w*Callback|Registered\w*)$/.test(name)
  const isOfTypes = (name: string) =>
    !isOfServer(name) && (values.includes(name) || /[a-z]/.test(name))
  const server = names.filter(isOfServer)
  const others = names.filter((name) => !isOfServer(name) && isOfTypes(name))
  return [
    ...(server.length > 0
      ? [`import ${type}{ ${server.join(', ')} } from '@modelcontextprotocol/sdk/server/mcp.js'`]
      : []),
    ...(others.length > 0
      ? [`import ${type}{ ${others.join(', ')} } from '@modelcontextprotocol/sdk/types.js'`]
      : []),
  ].join('\n')
}

/** The names that a file imports of each module, and the rest of it. */
function importsOf(text: string) {
  const { ast } = parseSource('a.ts', text)
  const imports = new Map<string, string[]>()
  let end = 0
  for (const statement of ast.program.body) {
    if (statement.type !== 'ImportDeclaration') continue
    end = statement.end ?? 0
    const names = statement.specifiers.map(({ local }) => local.name)
    imports.set(
      statement.source.value,
      [...(imports.get(statement.source.value) ?? []), ...names].sort(),
    )
  }
  return { imports, rest: text.slice(end) }
}
