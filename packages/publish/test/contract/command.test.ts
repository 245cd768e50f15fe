/** `edgeway contract` on projects that it bundles and loads, and at a running server. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runEdgeway } from '../../../../test/support/node/edgeway-command.ts'
import { ofCheckout } from '../../../../test/support/node/entries.ts'
import { createProject, type Project } from '../../../doctor/test/project.ts'

const CONFIGURATION = `
name = "shop"
main = "worker.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["enable_request_signal"]
`

const main = (body: string) =>
  ofCheckout(`
import { createEdgeway, jsonSchema, McpServer } from 'edgeway'
const schema = (properties, required = []) => jsonSchema({ type: 'object', properties, required })
const text = { type: 'string' }
const server = new McpServer({ name: 'shop', version: '1.0.0' }, { instructions: 'Find first.' })
${body}
`)

const SERVED = 'export default createEdgeway(server)'
const FIND = `server.registerTool('find', { inputSchema: schema({ query: text }) }, () => 'x')`

let project: Project
afterEach(() => project.remove())

function open(body: string): void {
  project = createProject({ 'worker.ts': main(body), 'wrangler.toml': CONFIGURATION })
}

const change = (body: string) => project.write({ 'worker.ts': main(body) })
const file = () => join(project.folder, 'contract.json')

const run = (...args: string[]) => runEdgeway(['contract', ...args], { cwd: project.folder })

describe('edgeway contract', () => {
  it('writes the file once, and --check names what has changed since', async () => {
    open(`${FIND}\n${SERVED}`)
    expect(await run('--check')).toMatchObject({
      code: 3,
      stderr: 'There is no contract.json. Run edgeway contract and commit the file.\n',
    })
    expect((await run()).stdout).toMatch(
      /^contract\.json has been written: 1 tool; \d+ bytes, \d+ tokens \(o200k_base; for other models an estimate\)\.\n$/,
    )
    const written = readFileSync(file(), 'utf8')
    expect(await run()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/is up to date: 1 tool/),
    })
    expect(readFileSync(file(), 'utf8')).toBe(written)
    expect((await run('--check')).code).toBe(0)
    expect((await run('./wrangler.toml', '--check', '--file', 'the contract.json')).stderr).toBe(
      'There is no the contract.json. Run edgeway contract wrangler.toml --file "the contract.json" and commit the file.\n',
    )

    change(`${FIND.replace('query: text', 'query: text, page: text')}\n${SERVED}`)
    expect(await run('--check')).toEqual({
      code: 3,
      stdout: 'additive (1)\n  tool "find": argument page is new\n\n',
      stderr: 'contract.json is out of date. Run edgeway contract and commit the file.\n',
    })
    expect((await run('--check', '--allow', 'additive,textual')).code).toBe(0)
    expect((await run('--check', '--against', 'contract.json')).code).toBe(0)

    change(`${FIND.replace('query: text }', "query: text }, ['query']")}\n${SERVED}`)
    const broken = await run('--check', '--allow', 'additive,textual', '--json')
    expect(broken.code).toBe(1)
    expect(JSON.parse(broken.stdout)).toEqual({
      file: file(),
      status: 'breaking',
      differences: [
        {
          server: 'shop (/mcp)',
          subject: 'tool "find"',
          kind: 'breaking',
          at: 'argument query',
          text: 'is required now',
        },
      ],
      notes: [],
    })
    expect((await run('--check', '--allow', 'breaking')).code).toBe(0)
    expect(readFileSync(file(), 'utf8')).toBe(written)
  }, 300_000)

  it('has deprecated tools, also those that no list has, and notes a date that has passed', async () => {
    const old = (listed: boolean) =>
      `server.registerTool('old', { deprecated: { use: 'find', until: '2026-01-31', listed: ${listed} } }, () => 'x')`
    open(`${FIND}\n${old(false)}\n${SERVED}`)
    const written = await run()
    expect(written.stdout).toMatch(/has been written: 2 tools/)
    expect(written.stderr).toBe(
      'shop (/mcp): tool "old" was announced to be removed after 2026-01-31. It still answers.\n',
    )
    change(`${FIND}\n${SERVED}`)
    expect(await run('--check')).toMatchObject({
      code: 3,
      stdout:
        'announced (1)\n  tool "old" is removed, as announced for the time after 2026-01-31\n\n',
    })
  }, 300_000)

  it('has each server of a Worker', async () => {
    open(`${FIND}
const docs = createEdgeway(new McpServer({ name: 'docs', version: '1' }), { path: '/docs' })
const shop = createEdgeway(server)
export default { fetch: (...args) => new URL(args[0].url).pathname === '/docs' ? docs.fetch(...args) : shop.fetch(...args) }`)
    expect((await run()).code).toBe(0)
    const { servers } = JSON.parse(readFileSync(file(), 'utf8'))
    expect(
      servers.map(({ audience, paths }: { audience: string; paths: string[] }) => [
        audience,
        paths,
      ]),
    ).toEqual([
      ['docs', ['/docs']],
      ['shop', ['/mcp']],
    ])
  }, 300_000)

  it('leaves a file alone that it has not written, and replaces one that a merge has damaged', async () => {
    open(`${FIND}\n${SERVED}`)
    writeFileSync(file(), '{"consumer": "shop"}')
    for (const args of [[], ['--check']]) {
      expect(await run(...args)).toMatchObject({
        code: 2,
        stderr:
          'contract.json was not written by edgeway contract. Name another file: --file FILE\n',
      })
    }
    expect(readFileSync(file(), 'utf8')).toBe('{"consumer": "shop"}')
    expect((await run('--file', 'mcp-contract.json')).code).toBe(0)
    const text = readFileSync(join(project.folder, 'mcp-contract.json'), 'utf8')
    writeFileSync(file(), `<<<<<<< ours\n${text}`)
    expect(await run('--check')).toMatchObject({
      code: 3,
      stderr:
        'contract.json is damaged, as by a merge. Run edgeway contract and commit the file.\n',
    })
    expect((await run()).code).toBe(0)
    expect(readFileSync(file(), 'utf8')).toBe(text)
  }, 300_000)

  it('says for a factory that the running server has the definition', async () => {
    open(`export default createEdgeway(() => server, { info: { name: 'shop', version: '1' } })`)
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/comes from a factory.*--url URL --token TOKEN/),
    })
    expect(existsSync(file())).toBe(false)
  }, 300_000)

  it.each([
    [['--allow', 'additive'], /--allow compares, so it needs --check/],
    [['--check', '--allow', 'small'], /It is a list of breaking, announced, additive, textual/],
    [['--check', '--allow', ' '], /It is a list of/],
    [['--check', '--allow', ''], /the argument after --allow is empty/],
    [['--against', 'x.json'], /--against compares, so it needs --check/],
    [['--token', 'x'], /--token belongs to a server: give its --url/],
    [['.', '--url', 'http://127.0.0.1:9'], /--url reads a running server/],
    [['--url', 'ftp://shop.example'], /not an http or https URL/],
    [['--url', 'http://127.0.0.1:9/mcp'], /No MCP server was reached/],
    [['none'], /There is no folder/],
    [
      ['--check', '--against', 'x.json'],
      /There is no x\.json\. Write the contract of the other branch: git show origin\/main:contract\.json > x\.json/,
    ],
    [['--check', '--against', 'worker.ts'], /worker\.ts was not written .* --against FILE/],
    [['--file', '.'], /cannot be read \(EISDIR\)/],
    [['--file', 'none/contract.json'], /cannot be written \(ENOENT\)/],
  ])(
    'refuses %j',
    async (args, message) => {
      open(`${FIND}\n${SERVED}`)
      const { code, stdout, stderr } = await run(...args)
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
    },
    300_000,
  )
})

describe('edgeway contract --url', () => {
  it('compares a running server with the contract of its project', async () => {
    // A running server shows neither the tools that a search finds, nor those that no list has.
    open(`import { search } from 'edgeway/search'
${FIND}
server.registerTool('old', { deprecated: { use: 'find', until: '2027-01-01', listed: false } }, () => 'x')
server.registerTool('searched', { scopes: ['read'] }, () => 'x')
export default createEdgeway(server, { features: [search({ pinned: ['find'] })] })`)
    expect((await run()).code).toBe(0)
    const written = readFileSync(file(), 'utf8')
    const wrangler = resolve('node_modules/wrangler/bin/wrangler.js')
    const child = spawn(
      process.execPath,
      [wrangler, 'dev', '--port', '0', '--inspector-port', '0'],
      {
        cwd: project.folder,
        env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
      },
    )
    try {
      let output = ''
      for await (const chunk of child.stdout) {
        output += String(chunk)
        if (/Ready on http/.test(output)) break
      }
      const [, origin = ''] = /Ready on (http:\/\/[^\s]+)/.exec(output) ?? []
      const checked = await run('--check', '--url', `${origin}/mcp`)
      expect(checked).toMatchObject({ code: 0, stderr: '' })
      expect(checked.stdout).toMatch(/^contract\.json is up to date: 5 tools/)
      expect((await run('--url', `${origin}/mcp`)).code).toBe(0)
      expect(readFileSync(file(), 'utf8')).toBe(written)
    } finally {
      child.kill('SIGINT')
    }
  }, 300_000)
})
