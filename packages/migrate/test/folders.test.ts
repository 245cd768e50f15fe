/** Tests which files of a folder `edgeway migrate` changes, and which folders it refuses. */
// features: all
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planMigration } from '../src/migrate.ts'
import { contentsOf, decided, folderOf, migrate, read, write } from './folder.ts'
import { PROJECTS } from './projects.ts'

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

  it('with a server of its own is moved, whichever projects below it have a configuration', () => {
    const below = {
      'examples/a/package.json': '{ "name": "a" }',
      'examples/a/wrangler.toml': 'name = "a"',
      'examples/b/package.json': '{ "name": "b" }',
      'examples/b/wrangler.jsonc': '{}',
    }
    const plan = planMigration(folderOf({ ...PROJECTS.stdio, ...below }))
    expect(plan.edits.map(({ file }) => file)).toContain('wrangler.jsonc')
    expect(plan.notes).toContain(
      'Other projects below the folder were not changed: examples/a, examples/b',
    )
    const test = { 'package.json': '{}', 'test/a.ts': PROJECTS.stdio['src/server.ts'] ?? '' }
    expect(() => planMigration(folderOf({ ...test, ...below }))).toThrow(/Name one of them/)
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

  it('without package.json, or with a link in its place, says who needs edgeway until it is there', () => {
    const { 'package.json': text = '', ...files } = PROJECTS.agent
    const folder = folderOf({ ...files, 'shared/package.json': text })
    symlinkSync('shared/package.json', join(folder, 'package.json'))
    for (let run = 0; run < 2; run++) {
      expect(decided(migrate(folder))).toEqual(['dependency src/index.ts:1'])
    }
    write(folder, 'shared/package.json', '{ "dependencies": { "edgeway": "1" } }')
    expect(decided(migrate(folder))).toEqual([])
    const above = folderOf({ 'package.json': text })
    for (const [path, content] of Object.entries(files)) write(above, `worker/${path}`, content)
    expect(decided(migrate(join(above, 'worker')))).toEqual(['dependency src/index.ts:1'])
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
    [
      'a text in the place of a list',
      'wrangler.jsonc',
      '{ "compatibility_flags": "nodejs_compat" }',
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

  it('is refused where it is a folder of a project, such as src', () => {
    const folder = folderOf({
      'package.json': '{ "name": "a" }',
      'wrangler.json': '{ "main": "src/index.ts" }',
      'src/index.ts': "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\n",
      'src/tools/a.ts': '',
      'scripts/package.json': '{ "name": "b" }',
    })
    for (const path of ['src', 'src/tools']) {
      expect(() => planMigration(join(folder, path))).toThrow(
        `is part of the project in ${realpathSync(folder)}. Name that folder`,
      )
    }
    expect(planMigration(join(folder, 'scripts')).edits).toEqual([])
  })

  it('that does not exist, is a file, or is in node_modules is refused', () => {
    const folder = folderOf({ 'a.txt': '' })
    mkdirSync(join(folder, 'node_modules/a'), { recursive: true })
    expect(() => planMigration(join(folder, 'b'))).toThrow(/There is no folder/)
    expect(() => planMigration(join(folder, 'a.txt'))).toThrow(/is a file/)
    expect(() => planMigration(join(folder, 'node_modules/a'))).toThrow(/is in node_modules/)
  })
})
