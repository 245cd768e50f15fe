/** Tests whether a moved Worker reaches a server of Edgeway, through files and through packages of its workspace. */
// features: all
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planMigration } from '../src/migrate.ts'
import { changed, decided, type Files, folderOf, migrate, write } from './folder.ts'
import { PROJECTS } from './projects.ts'

const MANIFEST = (name: string, more: object = {}) => JSON.stringify({ name, ...more })
const SERVER = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
export const createServer = (name: string) => new McpServer({ name, version: '1.0.0' })
`
const ENTRY = (module: string) => `import { createMcpHandler } from 'agents/mcp'
import { createServer } from '${module}'
export default { fetch: createMcpHandler(() => createServer('notes')) }
`
const CONFIGURATION = '{ "main": "src/index.ts", "compatibility_flags": ["nodejs_compat"] }'

/** A Worker, and the package that creates its server. */
const WORKSPACE: Files = {
  'package.json': '{ "workspaces": ["packages/*", "apps/*"] }',
  'apps/worker/package.json': MANIFEST('@acme/worker', { dependencies: { '@acme/core': '*' } }),
  'apps/worker/wrangler.jsonc': CONFIGURATION,
  'apps/worker/src/index.ts': ENTRY('@acme/core'),
  'packages/core/package.json': MANIFEST('@acme/core', { exports: './dist/index.js' }),
  'packages/core/src/index.ts': `export * from './server.js'\n`,
  'packages/core/src/server.ts': SERVER,
  'packages/core/src/server.test.ts': SERVER,
}

const whys = (folder: string) => planMigration(folder).decisions.map(({ why }) => why)

describe('a Worker whose server another package of its workspace creates', () => {
  it.each<[string, Files]>([
    ['in its entry', {}],
    [
      'in a condition of its exports',
      {
        'packages/core/package.json': MANIFEST('@acme/core', {
          exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' } },
        }),
      },
    ],
    [
      'in a subpath',
      {
        'apps/worker/src/index.ts': ENTRY('@acme/core/server'),
        'packages/core/src/index.ts': '',
      },
    ],
    [
      'in a package that it imports',
      {
        'packages/core/package.json': MANIFEST('@acme/core', { dependencies: { base: '*' } }),
        'packages/core/src/index.ts': `export { createServer } from 'base'\n`,
        'packages/core/src/server.ts': '',
        'packages/base/package.json': MANIFEST('base', { main: 'lib/main.js' }),
        'packages/base/src/main.ts': SERVER,
      },
    ],
  ])('%s names the package to move first, and nothing after that', (_, files) => {
    const folder = folderOf({ ...WORKSPACE, ...files })
    const app = join(folder, 'apps/worker')
    expect(decided(planMigration(app))).toEqual(['server-elsewhere src/index.ts:2'])
    const [, path = ''] = /run npx edgeway migrate (\S+),/.exec(whys(app)[0] ?? '') ?? []
    expect(decided(migrate(join(app, path)))).toEqual([])
    expect(decided(migrate(app))).toEqual([])
    expect(decided(migrate(app))).toEqual([])
  })

  it('has nothing to decide where the package has tools alone, or a program beside', () => {
    const folder = folderOf({
      ...WORKSPACE,
      'apps/worker/src/index.ts': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\nimport { add } from '@acme/core'\n`,
      'packages/core/src/index.ts': `import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'\n`,
    })
    expect(decided(planMigration(join(folder, 'apps/worker')))).toEqual([])
  })
})

describe('a main module that does not reach the server', () => {
  it('is named, with the file of the server', () => {
    const folder = folderOf({
      ...PROJECTS.handler,
      'src/index.ts': `import { createServer } from '#server'\nexport default createServer()\n`,
    })
    expect(decided(planMigration(folder))).toEqual(['server-not-reached src/index.ts:1'])
    expect(whys(folder)[0]).toContain('src/server.ts')
  })

  it.each(Object.entries(PROJECTS))('is not found in the project %s', (_, files) => {
    const folder = folderOf(files)
    for (let run = 0; run < 2; run++) {
      expect(decided(migrate(folder)).filter((one) => one.startsWith('server-'))).toEqual([])
    }
  })
})

describe('a program beside the Worker whose server moves', () => {
  const PROGRAM = (
    module: string,
  ) => `import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createServer } from '${module}'
await createServer('notes').connect(new StdioServerTransport())
`
  const throws = /throws for the server of (\S+) that has moved: delete the program/

  it('in a file is reported, with what to do', () => {
    const folder = folderOf({ ...PROJECTS.handler, 'src/stdio.ts': PROGRAM('./server.js') })
    const plan = planMigration(folder)
    expect(Object.keys(changed(plan))).toContain('src/server.ts')
    const found = plan.decisions.filter(({ file }) => file === 'src/stdio.ts')
    expect(found.map(({ why }) => throws.exec(why)?.[1])).toEqual(['src/server.ts'])
  })

  it('in another package is reported when the package of the server is moved', () => {
    const folder = folderOf({
      ...WORKSPACE,
      'apps/stdio/package.json': MANIFEST('stdio', { dependencies: { '@acme/core': '*' } }),
      'apps/stdio/src/main.ts': PROGRAM('@acme/core'),
    })
    const { decisions } = planMigration(join(folder, 'packages/core'))
    expect(decisions.map(({ file, why }) => [file, throws.exec(why)?.[1]])).toEqual([
      ['../../apps/stdio/src/main.ts', '@acme/core'],
    ])
  })
})

describe('the version of zod that another package has brought', () => {
  it.each([
    ['node_modules/zod/package.json', '{ "version": "3.25.76" }'],
    [
      'package-lock.json',
      '{ "packages": {\n "node_modules/zod": {\n "version": "3.25.76",\n "resolved": "" } } }',
    ],
    ['pnpm-lock.yaml', 'packages:\n\n  zod@3.25.76:\n    resolution: {}\n'],
    ['pnpm-lock.yaml', "packages:\n\n  '@a/zod@4.0.0':\n\n  /zod@3.25.76:\n"],
    ['yarn.lock', 'zod@^3.23.8, zod@^3.25.0:\n  version "3.25.76"\n'],
    ['yarn.lock', '"zod@npm:^3.25.0":\n  version: 3.25.76\n'],
    ['bun.lock', '"zod": ["zod@3.25.76", "", {}, "sha"],'],
  ])('is kept, by %s', (file, text) => {
    const dependencies = { '@modelcontextprotocol/server': '2.0.0' }
    const files = { ...PROJECTS.secondSdk, 'package.json': MANIFEST('notes', { dependencies }) }
    const plan = planMigration(folderOf({ ...files, [file]: text }))
    const { zod } = JSON.parse(changed(plan)['package.json'] ?? '').dependencies
    expect(zod).toBe('^3.25.76')
  })
})

describe('a dependency that stays', () => {
  const before = { '@modelcontextprotocol/server': '2', agents: '1', chat: '1', zod: '4' }
  const files: Files = {
    ...PROJECTS.secondSdk,
    'package.json': MANIFEST('notes', { dependencies: before }),
  }
  const moved = (folder: string) => {
    const plan = planMigration(folder)
    const { dependencies } = JSON.parse(changed(plan)['package.json'] ?? '')
    return { names: Object.keys(dependencies), notes: plan.notes }
  }

  it.each(['node_modules/chat', '../node_modules/chat'])(
    'and is in %s keeps its peers',
    (place) => {
      const folder = folderOf({})
      for (const [path, text] of Object.entries(files)) write(folder, `app/${path}`, text)
      const peers = { agents: '*', '@modelcontextprotocol/server': '*' }
      const manifest = MANIFEST('chat', { peerDependencies: peers })
      write(join(folder, 'app'), `${place}/package.json`, manifest)
      const { names, notes } = moved(join(folder, 'app'))
      expect(names).toEqual(['@modelcontextprotocol/server', 'agents', 'chat', 'edgeway', 'zod'])
      expect(notes).toContain('The dependency agents stays, because chat needs it')
    },
  )

  it('and needs neither SDK keeps none', () => {
    expect(moved(folderOf(files)).names).toEqual(['chat', 'edgeway', 'zod'])
  })
})
