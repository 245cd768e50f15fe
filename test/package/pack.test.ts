/** Tests the npm package: packs it, installs it into another project, type-checks it there and calls it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const directory = mkdtempSync(join(tmpdir(), 'edgeway-package-'))
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version

const WORKER = `
import { createEdgeway, McpServer, type CallToolResult } from 'edgeway'
import * as z from 'zod'

const server = new McpServer({ name: 'consumer', version: '1.0.0' })
server.registerTool('double', {
  inputSchema: z.object({ n: z.number() }),
  outputSchema: z.object({ twice: z.number() }),
}, ({ n }) => ({ twice: n * 2 }))
server.registerTool('ask', {}, async (ctx): Promise<CallToolResult> => {
  const answer = await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) })
  return { content: [{ type: 'text', text: String(answer.content?.sure) }] }
})
const edgeway = createEdgeway(server)

export default edgeway
export const { McpHub, McpKeyring } = edgeway.objects
`

const WRANGLER_TOML = `name = "consumer"
main = "src/worker.ts"
compatibility_date = "2026-11-01"

[[durable_objects.bindings]]
name = "MCP_KEYRING"
class_name = "McpKeyring"

[[durable_objects.bindings]]
name = "MCP_HUB"
class_name = "McpHub"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["McpKeyring", "McpHub"]
`

const CALL = {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'double', arguments: { n: 21 } },
  }),
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

let files: string[] = []

beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [report] = JSON.parse(packed.slice(packed.indexOf('[\n')))
  files = report.files.map(({ path }: { path: string }) => path)
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { edgeway: `file:${report.filename}`, zod: versionOf('zod') },
      devDependencies: { '@cloudflare/workers-types': versionOf('@cloudflare/workers-types') },
    }),
  )
  mkdirSync(join(directory, 'src'))
  writeFileSync(join(directory, 'src/worker.ts'), WORKER)
  run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error')
}, 300_000)

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the packed package', () => {
  it('contains only the library, its documentation and its license', () => {
    const topLevelEntries = new Set(files.map((file) => file.split('/')[0]))
    expect([...topLevelEntries].sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'package.json',
    ])
    expect(files).toContain('dist/src/index.js')
    expect(files).toContain('dist/src/index.d.ts')
  })

  it('type-checks in another project with skipLibCheck disabled', () => {
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'esnext',
          moduleResolution: 'bundler',
          lib: ['es2024'],
          types: ['@cloudflare/workers-types'],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
        },
        include: ['src'],
      }),
    )
    expect(run(process.execPath, TSC, '-p', '.')).toBe('')
  }, 300_000)

  it('can be bundled by wrangler, and the bundle answers a tool call in workerd', async () => {
    writeFileSync(join(directory, 'wrangler.toml'), WRANGLER_TOML)
    const [wrangler, out] = [
      join(ROOT, 'node_modules/wrangler/bin/wrangler.js'),
      join(directory, 'out'),
    ]
    run(process.execPath, wrangler, 'deploy', '--dry-run', '--outdir', out)
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        name: 'consumer',
        modules: true,
        script: readFileSync(join(out, 'worker.js'), 'utf8'),
        compatibilityDate: '2026-11-01',
        durableObjects: {
          MCP_HUB: { className: 'McpHub', useSQLite: true },
          MCP_KEYRING: { className: 'McpKeyring', useSQLite: true },
        },
        cf: false,
      }),
    )
    try {
      const response = await miniflare.dispatchFetch('http://127.0.0.1/mcp', CALL)
      expect(await response.json()).toMatchObject({ result: { structuredContent: { twice: 42 } } })
    } finally {
      await miniflare.dispose()
    }
  }, 300_000)

  it('rejects an import of a module that is not exported', () => {
    writeFileSync(join(directory, 'src/inside.mjs'), `await import('edgeway/dist/src/app.js')`)
    expect(() => run(process.execPath, 'src/inside.mjs')).toThrow()
  })
})
