/** Tests `edgeway migrate` on whole projects: what it writes, and that a second run changes nothing. */
// features: all
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { version } from '../../text/src/version.ts'
import { planMigration } from '../src/migrate.ts'
import { changed, contentsOf, decided, type Files, folderOf, migrate, read } from './folder.ts'
import { PROJECTS, type ProjectName } from './projects.ts'

const NAMES = Object.keys(PROJECTS) as ProjectName[]

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
        .concat('\nexport class McpObjects extends MyMCP.serve("/mcp").Objects {}\n'),
    )
    expect(files['wrangler.jsonc']).toBe(
      PROJECTS.agent['wrangler.jsonc']
        ?.replace(
          '"tag": "v1"\n\t\t}',
          '"tag": "v1"\n\t\t},\n\t\t{ "tag": "v2", "new_sqlite_classes": ["McpObjects"] }',
        )
        .replace(
          '"name": "MCP_OBJECT"\n\t\t\t}',
          '"name": "MCP_OBJECT"\n\t\t\t},\n\t\t\t{ "name": "MCP_OBJECTS", "class_name": "McpObjects" }',
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

  const secondAgent = (serve: string) =>
    `${PROJECTS.agent['src/index.ts']}export class Other extends McpAgent { async init() {} }\nexport const other = ${serve}\n`

  it.each([
    [
      'with options of its objects',
      `Other.serve('/other', { binding: 'OTHER', jurisdiction: 'eu', corsOptions: { origin } })`,
      `Other.serve("/other", { binding: "OTHER", jurisdiction: 'eu' })`,
    ],
    [
      'for SSE',
      `Other.serveSSE('/other', { "binding": 'OTHER' })`,
      `Other.serve("/other", { binding: "OTHER" })`,
    ],
  ])('beside another one that is served %s exports the class of both', (_, serve, call) => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace(
      '"bindings": [',
      '"bindings": [{ "name": "OTHER", "class_name": "Other" },',
    )
    const changes = {
      'src/index.ts': secondAgent(serve),
      'wrangler.jsonc': configuration ?? '',
    }
    const files = changed(planMigration(folderOf({ ...PROJECTS.agent, ...changes })))
    const text = files['src/index.ts'] ?? ''
    expect(text.match(/objectsOf.*/g)).toEqual([
      'objectsOf } from "edgeway";',
      `objectsOf(${call}, MyMCP.serve("/mcp")) {}`,
    ])
  })

  it.each([
    ['whose path is not written out', 'serve("/mcp")', 'serve(pathname)'],
    ['that nothing serves', 'MyMCP.serve("/mcp").fetch', 'fetch'],
  ])('%s exports the class of Edgeway at the default path', (_, part, by) => {
    const source = PROJECTS.agent['src/index.ts']?.replace(part, by) ?? ''
    const plan = planMigration(folderOf({ ...PROJECTS.agent, 'src/index.ts': source }))
    expect(decided(plan)).toEqual([])
    expect(changed(plan)['src/index.ts']).toContain('extends MyMCP.serve("/mcp").Objects {}')
  })

  it('that the main module does not name is exported by a person', () => {
    const { 'src/index.ts': source = '', ...files } = PROJECTS.agent
    const main = `export { MyMCP, default } from './agent'\n`
    const plan = planMigration(folderOf({ ...files, 'src/index.ts': main, 'src/agent.ts': source }))
    expect(decided(plan)).toEqual(['entry-elsewhere src/index.ts:1'])
  })

  it('whose last import becomes a part of another one keeps its imports together', () => {
    const source = PROJECTS.agent['src/index.ts']?.replace(
      'import { z } from "zod";',
      'import { z } from "zod";\nimport { ErrorCode } from "@modelcontextprotocol/sdk/types.js";',
    )
    const files = changed(
      planMigration(folderOf({ ...PROJECTS.agent, 'src/index.ts': source ?? '' })),
    )
    expect(files['src/index.ts']?.split('\n').slice(0, 5)).toEqual([
      'import { McpServer, ErrorCode } from "edgeway/sdk";',
      'import { McpAgent } from "edgeway/agents";',
      'import { z } from "zod";',
      '',
      '// Adds numbers.',
    ])
  })

  it('with a secret that seals its sessions receives no binding', () => {
    const configuration = PROJECTS.agent['wrangler.jsonc']?.replace(
      '"observability"',
      '"secrets": { "required": ["EDGEWAY_SECRET"] },\n\t"observability"',
    )
    const files = changed(
      planMigration(folderOf({ ...PROJECTS.agent, 'wrangler.jsonc': configuration ?? '' })),
    )
    expect(Object.keys(files)).toEqual(['src/index.ts', 'package.json'])
    expect(files['src/index.ts']).not.toContain('McpObjects')
  })

  it('whose main module exports the class of Edgeway already exports it once', () => {
    const source = `${PROJECTS.agent['src/index.ts']}export { McpObjects } from './objects'\n`
    const files = changed(planMigration(folderOf({ ...PROJECTS.agent, 'src/index.ts': source })))
    expect(files['src/index.ts']?.match(/McpObjects/g)).toHaveLength(1)
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
  audience: 'notes-server',
  features: [sessions(), changes()],
})
export default edgeway
export class McpObjects extends edgeway.Objects {}
`)
    expect(JSON.parse(files['wrangler.jsonc'] ?? '')).toMatchObject({
      name: 'notes',
      main: 'src/worker.ts',
      migrations: [{ tag: 'v1', new_sqlite_classes: ['McpObjects'] }],
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
