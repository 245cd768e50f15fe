/** Compares `edgeway migrate` with the servers that were moved by hand, and its names with those of the SDK. */
// features: all
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asAuthor } from '../../../test/support/node/entries.ts'
import { exportedNames } from '../src/exported-names.ts'
import { homeOf } from '../src/modules.ts'
import { parseSource } from '../src/source-file.ts'
import { folderOf, migrate, read } from './folder.ts'

describe('the names of edgeway/sdk', () => {
  it('are read from its sources', () => {
    const names = exportedNames('sdk')
    expect(names.get('McpServer')).toBe('value')
    expect(names.get('CallToolResult')).toBe('type')
    expect(names.get('McpHandler')).toBe('type')
    expect(names.has('LATEST_PROTOCOL_VERSION')).toBe(false)
    expect([...exportedNames('agents').keys()]).toContain('McpAgent')
  })

  it('are read from the declarations of an installed package, which name modules by their sources', () => {
    const root = folderOf({
      'dist/packages/sdk/src/index.d.ts': `export * from './mcp-server.ts';\nexport type * from './types.ts';\n`,
      'dist/packages/sdk/src/mcp-server.d.ts': 'export declare class McpServer {}\n',
      'dist/packages/sdk/src/types.d.ts': 'export interface CallToolResult {}\n',
    })
    expect([...exportedNames('sdk', root)]).toEqual([
      ['McpServer', 'value'],
      ['CallToolResult', 'type'],
    ])
  })

  it('of another meaning than in the SDK do not move', async () => {
    const types = await import('@modelcontextprotocol/sdk/types.js')
    const values = Object.keys(types).filter((name) => exportedNames('sdk').get(name) === 'type')
    expect(values.filter((name) => homeOf('sdk-1', name) !== undefined)).toEqual([])
  })
})

const PACKAGES = resolve(import.meta.dirname, '../..')

/** The servers of other makers that were moved by hand. */
function movedServers(): readonly string[] {
  const folders = ['agents/test/servers', 'sdk/test/moved/servers']
  return globSync(folders.map((folder) => join(PACKAGES, folder, '**/*.ts')))
}

/** The text of a server, which imports these packages by their entries. */
const withEntries = (file: string) => asAuthor(readFileSync(file, 'utf8'), file)

describe('a server that was moved by hand', () => {
  const servers = movedServers().filter((file) =>
    /'edgeway\/(?:sdk|agents)'/.test(withEntries(file)),
  )

  it.each(servers.map((file) => [file.slice(PACKAGES.length + 1), file]))(
    '%s is the same when it is moved from the SDK',
    async (_, file) => {
      const types = await import('@modelcontextprotocol/sdk/types.js')
      const byHand = withEntries(file)
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
