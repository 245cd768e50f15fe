/** `edgeway doctor --for` as a process: output and exit codes, at servers and in a project. */

import { join } from 'node:path'
import { describe, it } from 'vitest'
import { runEdgeway } from '../../../../test/support/node/edgeway-command.ts'
import { CONFIGURATION, createProject, MAIN, replaced } from '../../../doctor/test/project.ts'
import { startReferenceServer } from '../../../doctor/test/reference-server.ts'
import { stoppedAfterAll } from '../../../doctor/test/started.ts'
import {
  at,
  both,
  type Defect,
  errorOf,
  html,
  resultOf,
  TOOL,
} from '../../../faults/test/planted/plant.ts'

const started = stoppedAfterAll()

const ALL = 'claude-directory,openai-plugins,mcp-registry'

const run = (...args: readonly string[]) => runEdgeway(['doctor', ...args])

const ACCEPTED = {
  ...TOOL,
  title: 'Greet',
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
}

/** Tools whose calls have the result that their schema promises. */
const listing = (...tools: readonly unknown[]): Defect =>
  both(resultOf('tools/list', { tools }), resultOf('tools/call', { structuredContent: {} }))

const accepted = listing(ACCEPTED)

describe('edgeway doctor --for', () => {
  it.concurrent('exits with 0 and prints JSON when every directory accepts', async ({ expect }) => {
    const server = await started(startReferenceServer({ defect: accepted }))
    const { code, stdout, stderr } = await run(server.url, '--for', ALL, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      url: server.url,
      directories: ALL.split(',').map((name) => ({ name, accepts: true, findings: [] })),
    })
  })

  it.concurrent('says what it could not examine at a server, for each directory that asks for it', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer({ defect: accepted }))
    const registry = 'The registry takes server.json, which was not examined.'
    const forms = 'The fields of the forms are checked in directory.json of a project'
    for (const [names, said, unsaid] of [
      ['mcp-registry', registry, forms],
      ['claude-directory', forms, registry],
    ] as const) {
      const { stdout } = await run(server.url, '--for', names)
      expect(stdout).toContain(said)
      expect(stdout).not.toContain(unsaid)
    }
  })

  it.concurrent('exits with 1 and names the tool, the clause and the correction', async ({
    expect,
  }) => {
    const { title: _, ...untitled } = ACCEPTED
    const server = await started(startReferenceServer({ defect: listing(untitled) }))
    const { code, stdout } = await run(server.url, '--for', ALL, '--json')
    expect(code).toBe(1)
    const { directories } = JSON.parse(stdout)
    expect(directories.map(({ accepts }: { accepts: boolean }) => accepts)).toEqual([
      false,
      true,
      true,
    ])
    expect(directories[0].findings).toEqual([
      {
        code: 'tool-title-missing',
        severity: 'error',
        tool: 'greet',
        message: 'A tool has no title. It is "greet".',
        clause: expect.stringContaining('https://claude.com/docs/connectors/'),
        fix: expect.stringContaining('title: '),
      },
    ])
    const text = await run(server.url, '--for', 'claude-directory', '--for', 'mcp-registry')
    expect(text.code).toBe(1)
    expect(text.stdout).toContain('✗ claude-directory refuses  1 error')
    expect(text.stdout).toContain('1 of 2 directories accept the server.')
    expect(text.stdout).not.toContain('\u001b')
  })

  it.concurrent('refuses a server whose tools it cannot read without a token', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer({ isProtected: true, defect: accepted }))
    const { code, stdout } = await run(server.url, '--for', ALL, '--json')
    expect(code).toBe(1)
    const { directories } = JSON.parse(stdout)
    const codes = directories.map(({ findings }: { findings: { code: string }[] }) =>
      findings.map((finding) => finding.code),
    )
    expect(codes).toEqual([['lists-not-read'], ['lists-not-read'], []])
  })

  it.concurrent('names what the proofs and the catalogue of a site that answers every path are', async ({
    expect,
  }) => {
    const paths = ['openai-apps-challenge', 'mcp-registry-auth', 'ai-catalog.json']
    const pages = paths
      .map((path) => at(`/.well-known/${path}`, html(200, 'App')))
      .reduce(both, accepted)
    const server = await started(startReferenceServer({ defect: pages }))
    const { code, stdout } = await run(server.url, '--for', ALL, '--json')
    expect(code).toBe(1)
    const { directories } = JSON.parse(stdout)
    const found = directories.map(({ findings }: { findings: object[] }) => findings)
    expect(found).toMatchObject([
      [],
      [{ code: 'proof-is-a-page', severity: 'error' }],
      [
        { code: 'catalog-invalid', severity: 'warning' },
        { code: 'proof-is-a-page', severity: 'error' },
      ],
    ])
  })

  it.concurrent('finds a server that lists other tools to a client of another name', async ({
    expect,
  }) => {
    const gated: Defect = (request, next) => {
      const { clientInfo } = (request.json.params ?? {}) as { clientInfo?: { name?: string } }
      if (request.json.method === 'initialize') isClaude = clientInfo?.name === 'claude-ai'
      const tools = isClaude ? [ACCEPTED] : [ACCEPTED, { ...ACCEPTED, name: 'other' }]
      return listing(...tools)(request, next, '')
    }
    let isClaude = false
    const server = await started(startReferenceServer({ defect: both(withoutModern, gated) }))
    const { code, stdout } = await run(server.url, '--for', ALL, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout).directories[0].findings).toMatchObject([
      { code: 'behaviour-depends-on-client', message: expect.stringContaining('"other"') },
    ])
  })

  it.concurrent.for([
    {
      flags: ['--for', 'claude'],
      says: 'The directories are claude-directory, openai-plugins, mcp',
    },
    { flags: ['--for', ''], says: 'the argument after --for is empty' },
    { flags: ['--for', 'claude-directory,'], says: 'The directories are' },
    { flags: ['--for', ALL, '--client', 'claude'], says: '--client belongs to clients' },
    { flags: ['--for', ALL, '--restart', 'true'], says: '--restart belongs to clients' },
    { flags: ['--for', ALL, '--stream-wait', '1'], says: '--stream-wait belongs to clients' },
    { flags: ['--for', ALL, '--config'], says: '--config examines a project, and a URL belongs' },
  ])(
    'exits with 2 where the options cannot be used: $says',
    async ({ flags, says }, { expect }) => {
      const { code, stdout, stderr } = await run('http://127.0.0.1:1/mcp', ...flags)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
    },
  )

  it.concurrent('exits with 2 where no server answers, and says so in every directory', async ({
    expect,
  }) => {
    const { code, stdout } = await run('http://127.0.0.1:1/mcp', '--for', ALL, '--json')
    expect(code).toBe(2)
    const { directories } = JSON.parse(stdout)
    expect(directories).toMatchObject([
      { accepts: false, findings: [{ code: 'server-not-reached' }] },
      { accepts: false, findings: [{ code: 'server-not-reached' }] },
      { accepts: false, findings: [{ code: 'server-not-reached' }] },
    ])
  })
})

/** The reference server serves both eras, and the newest one is read. */
const withoutModern = errorOf('server/discover', -32601, 'No', 404)

describe('edgeway doctor --config --for', () => {
  it('examines the definition, server.json and directory.json of a project', async ({
    expect,
    onTestFinished,
  }) => {
    const hints = '{ readOnlyHint: true, destructiveHint: false, openWorldHint: false }'
    const texts = "title: 'Greet', description: 'Greets.'"
    const project = createProject({
      'worker.ts': replaced(
        MAIN,
        "{ scopes: ['greet'] }",
        `{ scopes: ['greet'], ${texts}, annotations: ${hints} }`,
      ),
      'server.json': JSON.stringify({ name: 'com.example/project', version: '2.0.0' }),
      'directory.json': '{',
    })
    onTestFinished(() => project.remove())
    const { code, stdout } = await run('--config', project.folder, '--for', ALL, '--json')
    expect(code).toBe(1)
    const { config, directories } = JSON.parse(stdout)
    expect(config).toBe(join(project.folder, 'wrangler.toml'))
    const codes = directories.map(({ findings }: { findings: { code: string }[] }) =>
      findings.map((finding) => finding.code),
    )
    expect(codes).toEqual([
      ['version-differs', 'listing-field-invalid'],
      ['tool-output-missing', 'version-differs', 'listing-field-invalid'],
      ['version-differs', 'server-description-invalid', 'server-remote-missing'],
    ])
  })

  it('exits with 2 for a definition that depends on the caller', async ({
    expect,
    onTestFinished,
  }) => {
    const factory = replaced(MAIN, 'createEdgeway(server,', 'createEdgeway(() => server,')
    const project = createProject({ 'worker.ts': factory, 'wrangler.toml': CONFIGURATION })
    onTestFinished(() => project.remove())
    const { code, stdout, stderr } = await run('--config', project.folder, '--for', ALL)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
  })
})
