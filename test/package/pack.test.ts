/** The package as another project meets it: packed, installed, type-checked, called. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
const edgeway = createEdgeway(server)
export default edgeway

const response = await edgeway.fetch(new Request('http://localhost/mcp', {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'double', arguments: { n: 21 } } }),
}), {}, { waitUntil() {} })
const { result } = await response.json() as { result: CallToolResult }
console.log(JSON.stringify(result.structuredContent))
`

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
}, 180_000)

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the packed package', () => {
  it('holds the library and what one reads about it, and nothing else', () => {
    const tops = new Set(files.map((file) => file.split('/')[0]))
    expect([...tops].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'docs', 'package.json'])
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
  })

  it('type-checks in a project of strangers, its own declarations included', () => {
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
  }, 60_000)

  it('answers a call', () => {
    // Node runs the very file: the types are erased, and the package is what was installed.
    expect(run(process.execPath, 'src/worker.ts').trim()).toBe('{"twice":42}')
  })

  it('cannot be reached behind its public door', () => {
    writeFileSync(join(directory, 'src/inside.mjs'), `await import('edgeway/dist/app.js')`)
    expect(() => run(process.execPath, 'src/inside.mjs')).toThrow()
  })
})
