/** Uses the package in an empty folder: tests of a definition on every supported Node, and in workerd. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asAuthor } from '../support/node/entries.ts'
import { findNode } from '../support/node/find-node.ts'
import { entries, ROOT } from './consumer.ts'
import { installedConsumer } from './installed-consumer.ts'

const { directory } = await installedConsumer()

const DEFINITION_TEST = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asks, createEdgeway, McpServer } from 'edgeway'
import { changes } from 'edgeway/changes'
import { accept, connect } from 'edgeway/testing'
import * as z from 'zod'

const server = new McpServer({ name: 'x', version: '1' })
server.registerTool('ask', {}, async (ctx) => {
  const { content } = await ctx.elicit({ message: 'How many?', schema: { count: z.int() } })
  return String(content?.count)
})
server.registerResource('bytes', 'x://bytes', {}, () => Uint8Array.of(0, 255))

for (const revision of ['2026-07-28', '2025-11-25', '2024-11-05']) {
  test('reads bytes in revision ' + revision, async () => {
    const client = await connect(server, { revision })
    const { contents } = await client.readResource('x://bytes')
    assert.equal(contents[0].blob, 'AP8=')
    assert.equal((await client.listTools()).length, 1)
  })
}

test('answers an ask', async () => {
  const client = await connect(server, { features: [asks()], elicit: [accept({ count: 3 })] })
  assert.equal((await client.callTool('ask')).text, '3')
})

test('a Durable Object cannot be created', () => {
  const { Objects } = createEdgeway(server, { features: [changes()] })
  assert.throws(() => new Objects(), /Durable Objects exist on Workers alone/)
})

test('every entry can be imported', async () => {
  for (const entry of ${JSON.stringify(entries)}) await import(entry)
})
`

describe.each([20, 22, 24])('Node %i', (major) => {
  it('runs tests of a definition with node:test', ({ skip }) => {
    const node = findNode(major, directory)
    if (node === undefined) return skip(`Node ${major} can be neither found nor installed here`)
    const file = join(directory, 'src/definition.test.mjs')
    writeFileSync(file, DEFINITION_TEST)
    // The runner of this test must not be taken for the parent of that one.
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
    const report = execFileSync(node, ['--test', '--test-reporter=tap', file], {
      cwd: directory,
      encoding: 'utf8',
      env,
    })
    expect(report).toMatch(/^# pass 6$/m)
  }, 300_000)
})

describe('the recipe of docs/guides/testing.md', () => {
  it('runs a test of a definition and of an app in workerd without a warning', () => {
    const project = join(directory, 'recipe')
    mkdirSync(project)
    const example = join(ROOT, 'examples/testing')
    for (const file of readdirSync(example)) {
      const path = join(example, file)
      writeFileSync(join(project, file), asAuthor(readFileSync(path, 'utf8'), path))
    }
    const guide = readFileSync(join(ROOT, 'docs/guides/testing.md'), 'utf8')
    const config = /```ts\n(\/\/ vitest\.config\.ts\n.*?)```/s.exec(guide)?.[1] ?? ''
    writeFileSync(join(project, 'vitest.config.ts'), config)
    const toml = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')
    writeFileSync(
      join(project, 'wrangler.toml'),
      toml
        .replace('examples/notebook/worker.ts', 'worker.ts')
        .replace(
          /\[\[durable_objects\.bindings\]\]\nname = "NOTEBOOK"\nclass_name = "Notebook"\n/,
          '',
        )
        .replace('"Notebook", ', ''),
    )
    // What `npm install --save-dev` would install.
    mkdirSync(join(project, 'node_modules/@cloudflare'), { recursive: true })
    for (const name of ['vitest', '@cloudflare/vitest-plugin']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
    }
    for (const name of ['edgeway', 'zod', 'hono', 'jose']) {
      cpSync(join(directory, 'node_modules', name), join(project, 'node_modules', name), {
        recursive: true,
      })
    }
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
    const { VITEST: _, VITEST_WORKER_ID: __, NODE_OPTIONS: ___, ...env } = process.env
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'tool.test', 'app.test'],
      { cwd: project, encoding: 'utf8', env: { ...env, PWD: project, NO_COLOR: '1' } },
    )
    const output = `${stdout}\n${stderr}`
    expect([status, output]).toEqual([0, expect.stringMatching(/Tests +3 passed/)])
    expect(output).not.toMatch(/warn/i)
  }, 300_000)
})
