/** Tests the contents of the npm package, and its use in a Worker of another project. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { describe, expect, it } from 'vitest'
import { directorySchemaText } from '../../packages/publish/src/submit/directory-schema.ts'
import { durableObjectsToml } from '../support/node/durable-objects-toml.ts'
import { entries, manifest, ROOT } from './consumer.ts'
import { installedConsumer } from './installed-consumer.ts'

const { directory, tarball, files } = await installedConsumer()
const bin = (path: string) => join(ROOT, 'node_modules', path)

/** Returns the output of a command. @throws with the output when the command fails */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed\n${stdout}\n${stderr}`)
  return stdout
}

const WORKER = `
import { changes } from 'edgeway/changes'
import { asks, createEdgeway, createServer, type CallToolResult } from 'edgeway'
import { sessions } from 'edgeway/sessions'
import * as z from 'zod'

const server = createServer({ name: 'consumer', version: '1.0.0', uses: [asks()] })
server.registerTool('double', {
  inputSchema: z.object({ n: z.number() }),
  outputSchema: z.object({ twice: z.number() }),
}, ({ n }) => ({ twice: n * 2 }))
server.registerTool('ask', {}, async (ctx): Promise<CallToolResult> => {
  const answer = await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) })
  return { content: [{ type: 'text', text: String(answer.content?.sure) }] }
})
const edgeway = createEdgeway(server, { features: [sessions(), changes()] })

export default edgeway
export class McpObjects extends edgeway.Objects {}
`

/** The example of the SDK 2.x: the handler is the default export. */
const HANDLER = `
import { createMcpHandler, McpServer } from 'edgeway/sdk'
import * as z from 'zod'

export default createMcpHandler(() => {
  const server = new McpServer({ name: 'handler', version: '1.0.0' })
  server.registerTool('double', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => ({
    content: [{ type: 'text', text: String(n * 2) }],
  }))
  return server
})
`

const HANDLER_TOML = `name = "handler"
main = "src/handler.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["nodejs_als"]
`

const WRANGLER_TOML = `name = "consumer"
main = "src/worker.ts"
compatibility_date = "2026-11-01"

${durableObjectsToml(['McpObjects'])}`

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

/** Bundles a module for Workers, minified and without peer dependencies. */
async function bundle(contents: string): Promise<{
  readonly inputs: readonly string[]
  readonly external: readonly string[]
}> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: join(directory, 'src') },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', ...Object.keys(manifest.peerDependencies)],
    logLevel: 'error',
  })
  const [output] = Object.values(metafile.outputs) as Metafile['outputs'][string][]
  return {
    inputs: Object.keys(output?.inputs ?? {}),
    external: [...new Set((output?.imports ?? []).map(({ path }) => path))].sort(),
  }
}

describe('the packed package', () => {
  it('contains only the library, its command, its documentation and its license', () => {
    const topLevelEntries = new Set(files.map((file) => file.split('/')[0]))
    expect([...topLevelEntries].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'package.json',
      'skills',
      'src',
      'starter',
    ])
    const tests = files.filter((file) => /(?:^|\/)test\/|\.test\./.test(file))
    // A new server has tests.
    expect(tests.filter((file) => !file.startsWith('starter/'))).toEqual([])
  })

  it('contains every file of a new server', () => {
    const layers = readdirSync(join(ROOT, 'starter'), { recursive: true, withFileTypes: true })
    const paths = layers
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    expect(files.filter((file) => file.startsWith('starter/')).sort()).toEqual(paths.sort())
  })

  it('contains the JSON Schema of directory.json, where edgeway submit init says that it is', () => {
    const file = 'dist/cli/directory.schema.json'
    expect(files).toContain(file)
    const text = readFileSync(join(directory, 'node_modules/edgeway', file), 'utf8')
    expect(text).toBe(directorySchemaText())
  })

  it('contains the page of the inspector, with the license of the library that it bundles', () => {
    const folder = 'dist/packages/inspector/src/inspector/generated'
    const read = (file: string) =>
      readFileSync(join(directory, 'node_modules/edgeway', folder, file), 'utf8')
    expect(files).toContain(`${folder}/page.js`)
    expect(read('page.js')).toContain('<!doctype html>')
    expect(read('LICENSES.txt')).toContain('preact')
  })

  it('has the file of every entry, of its declarations and of every command', () => {
    const targets = JSON.stringify([manifest.exports, manifest.bin ?? {}])
    const named = [...targets.matchAll(/"\.\/([^"]+\.[a-z]+)"/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((path) => path !== 'package.json' && !files.includes(path))).toEqual([])
  })

  /** Where a link leads. A file of the starter is read in a new server, where this package is installed. */
  const targetOf = (file: string, link: string) => {
    const installed = 'node_modules/edgeway/'
    return file.startsWith('starter/') && link.startsWith(installed)
      ? link.slice(installed.length)
      : posix.join(posix.dirname(file), link)
  }

  it('has a command that moves imports of the SDK to edgeway/sdk', () => {
    const project = join(directory, 'to-move')
    mkdirSync(join(project, 'src'), { recursive: true })
    const dependencies = { '@modelcontextprotocol/sdk': '^1.32.0', zod: '^4.3.6' }
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'notes', dependencies }))
    writeFileSync(
      join(project, 'src/server.ts'),
      `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\n
export const createServer = () => new McpServer({ name: 'notes', version: '1.0.0' })\n`,
    )
    const command = join(directory, 'node_modules/edgeway', manifest.bin?.edgeway ?? '')
    const { stdout } = spawnSync(process.execPath, [command, 'migrate', project, '--dry-run'], {
      encoding: 'utf8',
    })
    expect(stdout).toContain("+import { McpServer } from 'edgeway/sdk'")
  })

  it('has no relative link that leads out of it', () => {
    const dangling = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const text = readFileSync(join(ROOT, file), 'utf8').replace(/```.*?```/gs, '')
        return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
          .map(([, link = '']) => link)
          .filter((link) => !/^(?:[a-z]+:|#)/.test(link))
          .filter((link) => {
            const target = targetOf(file, link.replace(/\/?(?:#.*)?$/, ''))
            return !files.some((path) => path === target || path.startsWith(`${target}/`))
          })
          .map((link) => `${file} -> ${link}`)
      })
    expect(dangling).toEqual([])
  })

  it('has a command line that ends without a stack trace when its output has no reader', async () => {
    const command = join(directory, 'node_modules/edgeway/dist/cli/edgeway.js')
    const child = spawn(process.execPath, [command, '--help'])
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (part) => {
      errors += part
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(errors).toBe('')
  })

  it('passes publint and @arethetypeswrong/cli', () => {
    expect(run(process.execPath, bin('publint/src/cli.js'), tarball, '--strict')).toMatch(
      /All good!/,
    )
    const attw = bin('@arethetypeswrong/cli/dist/index.js')
    // It exits with an error when it finds a problem.
    const report = run(process.execPath, attw, tarball, '--profile', 'esm-only', '--no-emoji')
    for (const entry of entries) expect(report).toContain(`"${entry}"`)
  }, 300_000)

  it('rejects an import of a module that is not exported', () => {
    writeFileSync(join(directory, 'src/inside.mjs'), `await import('edgeway/dist/src/app.js')`)
    const { status, stderr } = spawnSync(process.execPath, ['src/inside.mjs'], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED')])
  })
})

describe('each entry of the package', () => {
  it.each(entries)('%s can be imported in Node', (entry) => {
    const code = `console.log(Object.keys(await import('${entry}')).length)`
    const names = Number(run(process.execPath, '--input-type=module', '-e', code))
    // The types of the protocol are no values.
    if (entry !== 'edgeway/protocol') expect(names).toBeGreaterThan(0)
  })

  it.each(entries)(
    '%s can be bundled for Workers without the replacements for Node',
    async (entry) => {
      const { inputs } = await bundle(`export * from '${entry}'`)
      expect(inputs.filter((path) => path.endsWith('src/runtime/node.js'))).toEqual([])
    },
  )

  it('the main entry bundles no other entry and no module of Node', async () => {
    const { inputs, external } = await bundle("export * from 'edgeway'")
    const others = inputs.filter((path) =>
      /\/dist\/(?:src|packages)\/(?:.+\/)?index\.js$/.test(path),
    )
    expect(others.filter((path) => !path.endsWith('/dist/src/index.js'))).toEqual([])
    // asks() is in the main entry.
    const features = inputs.filter((path) =>
      /\/dist\/(?:src\/(?:auth|features)|packages)\//.test(path),
    )
    expect(features.filter((path) => !/\/features\/(?:asks|keyring|objects)\//.test(path))).toEqual(
      [],
    )
    expect(external).toEqual(['cloudflare:workers'])
  })
})

const PLAIN_APP = `
import { createEdgeway, McpServer } from 'edgeway'
const server = new McpServer({ name: 'plain', version: '1.0.0' })
server.registerTool('greet', {}, () => 'Hello')
export default createEdgeway(server)
`

describe('what an app bundles of the package', () => {
  it('an app without features bundles none of their code', async () => {
    const { inputs } = await bundle(PLAIN_APP)
    // The validator of JSON Schema comes with jsonSchema().
    const optional =
      /\/dist\/(?:durable-objects|packages|src\/(?:features|auth)|src\/server\/schema\/(?:validator|formats)\.js)/
    // The class of its objects, which keep what an earlier feature has stored.
    const ofClass = /\/durable-objects\/(?:objects-class|unused-object)\.js$/
    expect(inputs.filter((path) => optional.test(path) && !ofClass.test(path))).toEqual([])
  })
})

describe('the package in a Worker of another project', () => {
  writeFileSync(join(directory, 'src/worker.ts'), WORKER)
  writeFileSync(join(directory, 'wrangler.toml'), WRANGLER_TOML)
  writeFileSync(
    join(directory, 'src/entries.ts'),
    `${entries.map((entry, at) => `import * as entry${at} from '${entry}'`).join('\n')}
export const all: object[] = [${entries.map((_, at) => `entry${at}`).join(', ')}]
`,
  )
  const wrangler = bin('wrangler/bin/wrangler.js')

  it('type-checks with skipLibCheck disabled and with the types that wrangler generates', () => {
    // `wrangler types` names each class as a type, so the objects must be exported as classes.
    run(process.execPath, wrangler, 'types', 'src/env.d.ts', '--include-runtime=false')
    expect(readFileSync(join(directory, 'src/env.d.ts'), 'utf8')).toMatch(
      /MCP_OBJECTS: DurableObjectNamespace<import\("\.\/worker"\)\.McpObjects>/,
    )
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'esnext',
          moduleResolution: 'bundler',
          lib: ['es2024', 'esnext.disposable'],
          types: ['@cloudflare/workers-types'],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
        },
        include: ['src'],
      }),
    )
    expect(run(process.execPath, bin('typescript/bin/tsc'), '-p', '.')).toBe('')
  }, 300_000)

  it('serves a handler of edgeway/sdk that is the default export, as wrangler bundles it', async () => {
    writeFileSync(join(directory, 'src/handler.ts'), HANDLER)
    const out = join(directory, 'out-handler')
    const config = join(directory, 'wrangler.handler.toml')
    writeFileSync(config, HANDLER_TOML)
    run(process.execPath, wrangler, 'deploy', '--config', config, '--dry-run', '--outdir', out)
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        name: 'handler',
        modules: true,
        script: readFileSync(join(out, 'handler.js'), 'utf8'),
        compatibilityDate: '2026-11-01',
        compatibilityFlags: ['nodejs_als'],
        cf: false,
      }),
    )
    try {
      const response = await miniflare.dispatchFetch('http://127.0.0.1/any', CALL)
      expect(await response.json()).toMatchObject({ result: { content: [{ text: '42' }] } })
    } finally {
      await miniflare.dispose()
    }
  }, 300_000)

  it('can be bundled by wrangler, and the bundle answers a tool call in workerd', async () => {
    const out = join(directory, 'out')
    run(process.execPath, wrangler, 'deploy', '--dry-run', '--outdir', out)
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        name: 'consumer',
        modules: true,
        script: readFileSync(join(out, 'worker.js'), 'utf8'),
        compatibilityDate: '2026-11-01',
        durableObjects: {
          MCP_OBJECTS: { className: 'McpObjects', useSQLite: true },
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
})
