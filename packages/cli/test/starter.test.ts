/** Creates a server from the tarballs in an empty folder, on the oldest supported Node, and uses it. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, it } from 'vitest'
import { screenshot, useBrowser } from '../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../test/browser/page-checks.ts'
import { findNode } from '../../../test/support/node/find-node.ts'
import { npmCreate, type Serving, shellOf } from '../../../test/support/node/starter.ts'
import { ROOT } from '../../../test/tarball/consumer.ts'
import { installedConsumer } from '../../../test/tarball/installed-consumer.ts'

interface ServerCard {
  readonly name: string
  readonly version: string
  readonly description: string
}

const { directory: consumer, tarball: edgeway } = await installedConsumer()
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-starter-'))
const node = findNode(20, FOLDER)
const shell = shellOf(node ?? process.execPath)
const server = join(FOLDER, 'my-server')
const browser = useBrowser()
let serving: Serving | undefined

afterAll(async () => {
  await serving?.stop()
  rmSync(FOLDER, { recursive: true, force: true })
}, 300_000)

const createEdgeway = join(
  FOLDER,
  execFileSync('npm', ['pack', '--silent', '--pack-destination', FOLDER], {
    cwd: join(ROOT, 'packages/create-edgeway'),
    encoding: 'utf8',
  }).trim(),
)

describe.runIf(node !== undefined)('a server of npm create edgeway, on Node 20', () => {
  it('is four commands away from a tool call by the official client', async () => {
    const start = performance.now()
    // Their order is that of the README.
    await shell.run(FOLDER, ...npmCreate({ edgeway, createEdgeway }, 'my-server', '--yes'))
    await shell.run(server, 'npm', 'install')
    serving = await shell.serve(server)
    const client = new Client({ name: 'edgeway-test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)))
    const { structuredContent } = await client.callTool({ name: 'roll_dice', arguments: {} })
    const seconds = Math.round((performance.now() - start) / 1000)
    await client.close()
    expect((await fetch(new URL('/inspect', serving.url))).status).toBe(200)
    expect(structuredContent).toEqual({ number: expect.toBeOneOf([1, 2, 3, 4, 5, 6]) })
    // Not bounded: a busy machine is slower. The aim is two minutes with a warm cache.
    process.stdout.write(`npm create, cd, npm install, npm run dev, tool call: ${seconds} s\n`)
  }, 600_000)

  it.each(['server', 'project'])(
    'has no findings of the doctor at the %s',
    async (kind) => {
      const examined = kind === 'server' ? (serving?.url ?? '') : '--config'
      const report = JSON.parse(
        await shell.run(server, 'npx', 'edgeway', 'doctor', examined, '--json'),
      )
      expect(report.clients.length).toBeGreaterThan(0)
      for (const { name, connects, findings } of report.clients) {
        expect([name, connects, findings]).toEqual([name, true, []])
      }
    },
    300_000,
  )

  it('prints its pages, and starts again when the mistake that prevented its start is repaired', async () => {
    await serving?.stop()
    const file = join(server, 'src/tools.ts')
    const tools = readFileSync(file, 'utf8')
    writeFileSync(file, tools.replace("'roll_dice'", "'bad name!'"))
    serving = await shell.serve(server, (text) => {
      if (text.includes('The server could not start')) writeFileSync(file, tools)
    })
    expect(serving.output()).toContain('Tool name "bad name!"')
    const port = new URL(serving.url).port
    await expect
      .poll(() => serving?.output())
      .toContain(
        `MCP endpoint  http://localhost:${port}/mcp\n  Inspector     http://localhost:${port}/inspect`,
      )
  }, 300_000)

  it('writes server.json from its Server Card, which it serves', async () => {
    const origin = 'https://my-server.example.com'
    const url = new URL('/mcp/server-card', serving?.url)
    const { name, version, description } = (await (await fetch(url)).json()) as ServerCard
    await shell.run(server, 'npx', 'edgeway', 'server-json', '--write', '--origin', origin)
    const written = JSON.parse(readFileSync(join(server, 'server.json'), 'utf8'))
    expect(written).toMatchObject({ name, version, description })
    expect(written.name).toBe('io.github.your-account/my-server')
    expect(written.remotes.map((remote: { url: string }) => remote.url)).toEqual([
      `${origin}/mcp`,
      `${origin}/sse`,
    ])
    const check = ['server-json', '--check', '--origin', origin]
    expect(await shell.run(server, 'npx', 'edgeway', ...check)).toMatch(/is up to date/)
  }, 300_000)

  it('passes its own check: types, tests and a deployment that is not uploaded', async () => {
    await serving?.stop()
    const output = await shell.run(server, 'npm', 'run', 'check')
    expect(output).toMatch(/Tests +5 passed/)
    expect(output).toMatch(/--dry-run: exiting now/)
  }, 600_000)

  it('writes a contract, and names a tool that was removed as breaking', async () => {
    expect(await shell.run(server, 'npm', 'run', 'contract')).toMatch(/has been written: \d tools/)
    expect(await shell.run(server, 'npm', 'run', 'contract', '--', '--check')).toMatch(/up to date/)
    const file = join(server, 'src/tools.ts')
    const tools = readFileSync(file, 'utf8')
    writeFileSync(file, tools.replace("'roll_dice'", "'throw_dice'"))
    await expect(shell.run(server, 'npm', 'run', 'contract', '--', '--check')).rejects.toThrow(
      /tool "roll_dice" is removed; "throw_dice", which is new, looks like its new name/,
    )
    writeFileSync(file, tools)
  }, 300_000)

  it('uploads nothing of the inspector', async () => {
    await shell.run(server, 'npx', 'wrangler', 'deploy', '--dry-run', '--outdir', 'dist')
    const upload = readFileSync(join(server, 'dist/worker.js'), 'utf8')
    expect(upload).toContain('edgeway.announce-app')
    expect(upload).not.toMatch(/<title>Inspector<|needs its timeline|timeline is stored/)
  }, 300_000)
})

describe.runIf(node !== undefined)('npx edgeway init, on Node 20', () => {
  const edgewayCommand = join(consumer, 'node_modules/.bin/edgeway')
  const init = (...args: string[]) => shell.run(FOLDER, edgewayCommand, 'init', ...args)

  it('writes a server with sign-in, whose types check and whose tests sign in', async () => {
    await init('signed-in', '--auth', 'passphrase')
    const directory = join(FOLDER, 'signed-in')
    // The same packages as those of the other server.
    symlinkSync(join(server, 'node_modules'), join(directory, 'node_modules'))
    expect(await shell.run(directory, 'npm', 'run', 'typecheck')).toMatch(/McpObjects/)
    const output = await shell.run(directory, 'npm', 'test')
    expect(output).toMatch(/Tests +6 passed/)
    const upload = await shell.run(directory, 'npx', 'wrangler', 'deploy', '--dry-run')
    // As wrangler prints it, in KiB.
    expect(Number(/gzip: ([\d.]+) KiB/.exec(upload)?.[1])).toBeLessThanOrEqual(200)
  }, 600_000)

  it('takes the feature of the guide, whose types check with the generated environment', async () => {
    const directory = join(FOLDER, 'signed-in')
    const guide = readFileSync(join(ROOT, 'docs/guides/features.md'), 'utf8')
    const [, audit = ''] = /```ts\n((?:(?!```)[\s\S])*class AuditLog[\s\S]*?)```/.exec(guide) ?? []
    writeFileSync(join(directory, 'src/audit.ts'), audit)
    const edit = (file: string, from: string, to: string) => {
      const text = readFileSync(join(directory, file), 'utf8')
      expect(text).toContain(from)
      writeFileSync(join(directory, file), text.replace(from, to))
    }
    edit(
      'wrangler.jsonc',
      '"class_name": "McpObjects" }',
      '"class_name": "McpObjects" }, { "name": "AUDIT_LOG", "class_name": "AuditLog" }',
    )
    edit('wrangler.jsonc', '["McpObjects"]', '["McpObjects", "AuditLog"]')
    edit('src/features.ts', '  sessions(),', '  audit,\n  sessions(),')
    edit('src/features.ts', 'import ', "import { audit } from './audit.ts'\nimport ")
    edit('src/worker.ts', 'export default', "export { AuditLog } from './audit.ts'\nexport default")
    edit('src/tools.ts', 'import ', "import { audit } from './audit.ts'\nimport ")
    const called = "await audit.of(ctx).record('a table')\n      const answer"
    edit('src/tools.ts', 'const answer', `${called}`)
    expect(await shell.run(directory, 'npm', 'run', 'typecheck')).toMatch(/AUDIT_LOG/)
  }, 300_000)

  it('writes a server whose tools send the key of the caller, and whose tests sign in two people', async () => {
    const api = {
      openapi: '3.1.0',
      info: { title: 'Parcels', version: '1.0.0' },
      servers: [{ url: 'https://api.example.com/v2' }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
      paths: { '/parcels': { get: { operationId: 'list_parcels', responses: {} } } },
    }
    writeFileSync(join(FOLDER, 'api.json'), JSON.stringify(api))
    await init('keys', '--auth', 'api-key', '--openapi', 'api.json')
    const directory = join(FOLDER, 'keys')
    symlinkSync(join(server, 'node_modules'), join(directory, 'node_modules'))
    expect(await shell.run(directory, 'npm', 'run', 'typecheck')).not.toMatch(/API_KEY/)
    expect(await shell.run(directory, 'npm', 'test')).toMatch(/Tests +7 passed/)
  }, 600_000)

  it('writes a server with a view, which its check builds and the inspector shows', async () => {
    await init('viewed', '--yes', '--views', 'preact')
    const directory = join(FOLDER, 'viewed')
    await shell.run(directory, 'npm', 'install')
    const output = await shell.run(directory, 'npm', 'run', 'check')
    expect(output).toMatch(/src\/views\.types\.ts has been written/)
    expect(output).toMatch(/die: [\d.]+ KB, [\d.]+ KB with gzip/)
    expect(output).toMatch(/Tests +5 passed/)
    serving = await shell.serve(directory)
    const { page } = await browser.open()
    await page.goto(new URL('/inspect#/try/tools/roll_dice', serving.url).href)
    await page.getByRole('button', { name: 'Call the tool' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByText('A die with 6 sides').waitFor()
    for (const theme of ['light', 'dark']) {
      await page.getByLabel('Theme').selectOption(theme)
      for (const each of page.frames().slice(1)) await expectAccessible(each)
      await screenshot(page, `starter-view-${theme}`)
    }
    const file = join(directory, 'src/views/die.tsx')
    writeFileSync(file, readFileSync(file, 'utf8').replace('A die with', 'It has'))
    const start = performance.now()
    await frame.getByText('It has 6 sides').waitFor()
    const shownMs = Math.round(performance.now() - start)
    // The result was sent again.
    expect(await frame.getByRole('status').textContent()).toMatch(/^[1-6]$/)
    process.stdout.write(`from a changed view to its frame: ${shownMs} ms\n`)
  }, 600_000)

  it('of a checkout writes a server that has the checkout as a tarball', async () => {
    const command = [
      join(ROOT, 'node_modules/.bin/node'),
      join(ROOT, 'packages/cli/src/edgeway.ts'),
    ] as const
    // As the setup prompt of README.md has them for `npm run create`.
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const [, options = ''] = /npm run create -- \.\.\/my-server (--.+)$/m.exec(readme) ?? []
    await shell.run(FOLDER, ...command, 'init', 'unpublished', ...options.split(' '))
    const directory = join(FOLDER, 'unpublished')
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    const file = manifest.dependencies.edgeway.replace(/^file:/, '')
    const contents = await shell.run(directory, 'tar', '-tzf', file)
    expect(contents).toMatch(/^package\/dist\/src\/index\.js$/m)
    expect(contents).toMatch(/^package\/dist\/cli\/edgeway\.js$/m)
    const agents = readFileSync(join(directory, 'AGENTS.md'), 'utf8')
    for (const [, path] of agents.matchAll(/node_modules\/edgeway\/(skills\/[\w/.-]+\w)/g)) {
      expect(contents).toContain(`package/${path}\n`)
    }
  }, 300_000)

  it('writes nothing and says why when it cannot do what is asked', async () => {
    mkdirSync(join(FOLDER, 'full/mine'), { recursive: true })
    const refusals = [
      [['full', '--yes'], /The folder full is not empty/],
      [['Full Name', '--yes'], /full-name would be/],
      [['parcels'], /There is no terminal/],
      [['--yes'], /--yes needs a name/],
      [['parcels', '--auth', 'none'], /Allowed choices are open, passphrase/],
      [['parcels', '--yes', '--openapi', 'none.json'], /There is no file/],
    ] as const
    const before = readdirSync(FOLDER)
    for (const [args, message] of refusals) await expect(init(...args)).rejects.toThrow(message)
    expect(readdirSync(FOLDER)).toEqual(before)
  })
})
