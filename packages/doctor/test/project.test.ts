/** `edgeway doctor --config` as a whole: projects with other main modules, and those that cannot be examined. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { examineProject, type ProjectReport } from '../src/config/examine-project.ts'
import { observeProject } from '../src/config/observe-project.ts'
import { CONFIGURATION, createProject, type Files, MAIN, ROOT, replaced } from './project.ts'

const messagesOf = ({ clients }: ProjectReport) =>
  new Map(clients.flatMap(({ findings }) => findings.map(({ code, message }) => [code, message])))

async function examine(files: Files): Promise<ProjectReport> {
  const project = createProject(files)
  onTestFinished(() => project.remove())
  return examineProject(await observeProject(project.folder))
}

const WITH_MORE = ofCheckout(
  `import { files } from 'edgeway/files'\nimport { tasks } from 'edgeway/tasks'\n${MAIN}`,
)

interface Unusable {
  readonly what: string
  readonly files: Files
  readonly path?: string
  readonly says: RegExp
}

const LARGE = `jsonSchema({ type: 'object', properties: { a: { enum: ['${'x'.repeat(17_000)}'] } } })`

/** Four mistakes of one definition. */
const MISTAKEN = [
  ["  auth: embedded({ scopes: { greet: 'Greet' } }),\n", ''],
  ['sessions(), changes()', 'sessions(), changes(), tasks(), files()'],
  ['export class McpObjects extends edgeway.Objects {}\n', ''],
  [
    "'greet', { scopes: ['greet'] }",
    `'say.hello', { scopes: ['greet'], task: 'optional', files: true, inputSchema: ${LARGE} }`,
  ],
].reduce((text, [part = '', by = '']) => replaced(text, part, by), WITH_MORE)

describe('the doctor on a project', () => {
  it('names every mistake of a definition, and nothing else', async () => {
    const found = messagesOf(await examine({ 'worker.ts': MISTAKEN }))
    expect([...found.keys()].sort()).toEqual([
      'object-not-exported',
      'scope-without-authorization',
      'tool-name-characters',
      'tool-schema-too-large',
    ])
    const text = [...found.values()].join('\n')
    expect(text).toMatch(/"MCP_OBJECTS" has the class "McpObjects"; the exported classes are /)
    expect(text).toMatch(/tool "say\.hello" \(greet\)/)
    expect(text).toMatch(/"say\.hello" has an inputSchema of 17\d\d\d bytes/)
  })

  it('examines an app that is created at the first request, and an agent', async () => {
    const agent = `
import { McpAgent } from '${ROOT}/packages/agents/src/index.ts'
import { McpServer } from '${ROOT}/packages/sdk/src/index.ts'
export class Notes extends McpAgent {
  server = new McpServer({ name: 'notes', version: '1.0.0' })
  async init() {}
}
export default { fetch: (request, env, ctx) => Notes.serve('/mcp').fetch(request, env, ctx) }
`
    const configuration = `
name = "notes"
main = "worker.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["enable_request_signal"]
durable_objects.bindings = [{ name = "MCP_OBJECT", class_name = "Notes" }]
migrations = [{ tag = "v1", new_sqlite_classes = ["Notes"] }]
`
    const report = await examine({ 'worker.ts': agent, 'wrangler.toml': configuration })
    expect([...messagesOf(report)]).toEqual([
      [
        'object-binding-missing',
        expect.stringContaining('the class "McpObjects", or the secret "EDGEWAY_SECRET"'),
      ],
    ])
    expect(report.notes).toEqual([expect.stringContaining('comes from a factory')])
  })

  it.each([
    ['its route', "{ route: '/tools/api' }", 'mcp.example.com/tools/*', []],
    ['its route', "{ route: '/tools/api' }", 'mcp.example.com/mcp', ['Of any host: "/tools/api".']],
    ['any path', '{}', 'mcp.example.com/tools/*', []],
  ])(
    'compares %s of createMcpHandler(server, %s) with the route %s',
    async (_, options, route, expected) => {
      const handler = `
import { createMcpHandler, McpServer } from '${ROOT}/packages/sdk/src/index.ts'
export default createMcpHandler(new McpServer({ name: 'tools', version: '1.0.0' }), ${options})
`
      const configuration = `
name = "tools"
main = "worker.ts"
compatibility_date = "2026-11-01"
compatibility_flags = ["enable_request_signal"]
routes = [{ pattern = "${route}", zone_name = "example.com" }]
`
      const report = await examine({ 'worker.ts': handler, 'wrangler.toml': configuration })
      const found = [...messagesOf(report)].filter(([code]) => code === 'route-incomplete')
      expect(found.map(([, message]) => message.replace(/^.*?(?=Of )/s, ''))).toEqual(expected)
    },
  )

  it.each<Unusable>([
    {
      what: 'a folder that does not exist',
      files: {},
      path: 'nowhere',
      says: /There is no folder/,
    },
    {
      what: 'a folder without configuration',
      files: { 'a/b': 'c' },
      path: 'a',
      says: /has none of/,
    },
    {
      what: 'TOML with a syntax error',
      files: { 'wrangler.toml': 'name = "x"\nmain = \n' },
      says: /wrangler\.toml:2:\d+ cannot be read/,
    },
    {
      what: 'JSON with a syntax error',
      files: { 'wrangler.toml': '', 'wrangler.jsonc': '{\n  // name\n  "main": ,\n}' },
      says: /wrangler\.jsonc:3:\d+ cannot be read/,
    },
    {
      what: 'a member of a wrong type',
      files: { 'wrangler.toml': 'name = "x"\nmain = "worker.ts"\nmigrations = 3' },
      says: /"migrations"/,
    },
    {
      what: 'a configuration without a main module',
      files: { 'wrangler.toml': 'name = "x"' },
      says: /names no main module/,
    },
    {
      what: 'a main module that does not exist',
      files: { 'worker.ts': '' },
      says: /The main module \S+worker\.ts does not exist/,
    },
    {
      what: 'a project of another maker',
      files: { 'worker.ts': 'export default { fetch: () => new Response() }' },
      says: /This is no project of Edgeway/,
    },
  ])('refuses $what', async ({ files, path = '', says }) => {
    const project = createProject(files)
    onTestFinished(() => project.remove())
    await expect(observeProject(join(project.folder, path))).rejects.toThrow(says)
  })

  it.each(['3.114.17', '0.0.0'])('refuses wrangler %s, and says what it needs', async (version) => {
    const project = createProject()
    onTestFinished(() => project.remove())
    rmSync(join(project.folder, 'node_modules'))
    project.write({ 'node_modules/wrangler/package.json': JSON.stringify({ version }) })
    await expect(observeProject(project.folder)).rejects.toThrow(
      `The project has wrangler ${version}, and its examination needs wrangler 4. Update it: npm install --save-dev wrangler@4`,
    )
  })

  it('refuses a project without wrangler', async () => {
    const project = createProject()
    onTestFinished(() => project.remove())
    rmSync(join(project.folder, 'node_modules'))
    await expect(observeProject(project.folder)).rejects.toThrow(/wrangler is not installed/)
  })
})

const run = (cwd: string, ...args: readonly string[]) => runEdgeway(['doctor', ...args], { cwd })

describe('edgeway doctor --config', () => {
  it('examines the folder that it runs in, prints the findings and exits with 1', async () => {
    const flags = replaced(CONFIGURATION, '"McpObjects"]', ']')
    const project = createProject({ 'wrangler.toml': flags })
    onTestFinished(() => project.remove())
    const { code, stdout, stderr } = await run(project.folder, '--config')
    expect(stderr).toBe('')
    expect(stdout).toContain('error migration-missing (every client)')
    expect(stdout).toContain('Fix: Append a migration')
    expect(stdout).toMatch(/\n1 error\.\n$/)
    expect(code).toBe(1)
  })

  it('prints JSON of a named configuration file, and exits with 0 for a warning', async () => {
    const text = replaced(CONFIGURATION, '"enable_request_signal", ', '')
    const project = createProject({ 'wrangler.toml': text })
    onTestFinished(() => project.remove())
    const file = join(project.folder, 'wrangler.toml')
    const { code, stdout } = await run(ROOT, '--config', file, '--json', '--client', 'codex')
    expect(JSON.parse(stdout)).toEqual({
      config: file,
      clients: [
        {
          name: 'Codex',
          connects: true,
          findings: [
            expect.objectContaining({ code: 'request-signal-missing', severity: 'warning' }),
          ],
        },
      ],
    })
    expect(code).toBe(0)
  })

  it('prints with --tools which tools each client of --client can use, and exits with 1 for one that a client cannot use', async () => {
    const text = WITH_MORE.replace(
      "server.registerTool('greet'",
      "server.registerTool('report', { task: 'optional' }, () => 'done')\nserver.registerTool('render', { task: 'required' }, () => 'done')\nserver.registerTool('greet'",
    ).replace('[sessions(), changes()]', '[sessions(), changes(), tasks()]')
    const project = createProject({ 'worker.ts': text })
    onTestFinished(() => project.remove())
    const clients = ['--client', 'codex', '--client', 'claude code']
    const flags = ['--config', '--tools', '--json', ...clients]
    const { code, stdout, stderr } = await run(project.folder, ...flags)
    expect(stderr).toBe('')
    expect(code).toBe(1)
    const { apps } = JSON.parse(stdout)
    const uses = Object.fromEntries(
      apps[0].clients.map(({ client, tools }: { client: string; tools: { how: string }[] }) => [
        client,
        tools.map(({ how }) => how.slice(0, 40)),
      ]),
    )
    expect(apps[0].path).toBe('/mcp')
    expect(Object.keys(uses)).toEqual(['claude-code', 'codex'])
    expect(uses.codex).toEqual([
      'within 45 s, and then by get_result',
      'has no tasks, and the tool runs as a tas',
      'in its request, within 300 s',
      'in its request, within 300 s',
    ])
    expect(uses['claude-code']).toEqual(['as a task', 'as a task', 'in its request, within 300 s'])
  })

  it.each([
    { args: ['--tools'], says: '--tools needs --config' },
    { args: ['--config', '.', '--tools', '--client', 'cursor'], says: 'and not Cursor' },
    { args: ['--config', 'nowhere'], says: 'There is no folder' },
    { args: ['http://127.0.0.1:1/', '--config'], says: 'a URL belongs to a server' },
    { args: ['--config', '.', '--stream-wait', '3'], says: '--stream-wait belongs to a server' },
  ])('exits with 2 and says why for the arguments $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await run(ROOT, ...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(says)
  })
})
