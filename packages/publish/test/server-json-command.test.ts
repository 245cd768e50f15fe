/** `edgeway server-json` as a process, on a project with two servers. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { createProject } from '../../doctor/test/project.ts'

const ORIGIN = 'https://mcp.example.com'

const MAIN = ofCheckout(`
import { createEdgeway, McpServer } from 'edgeway'
import { serverCard } from 'edgeway/server-card'
import { sessions } from 'edgeway/sessions'

const info = { name: 'notes', version: '1.4.0', description: 'Search and read your notes.' }

const docs = createEdgeway(new McpServer({ ...info, name: 'docs' }), {
  path: '/docs',
  features: [serverCard({ name: 'com.example/docs' })],
})

const edgeway = createEdgeway(({ params }) => new McpServer({ ...info, name: params.org }), {
  info,
  path: '/mcp/{org}',
  features: [
    sessions(),
    serverCard({
      name: 'com.example/notes',
      repository: { url: 'https://github.com/example/notes', source: 'github' },
      variables: { org: { description: 'The team' } },
    }),
  ],
})

export default edgeway
export { docs }
export class McpObjects extends edgeway.Objects {}
`)

describe('edgeway server-json', () => {
  const project = createProject({ 'worker.ts': MAIN })
  afterAll(() => project.remove())
  const file = join(project.folder, 'server.json')

  const run = (...args: readonly string[]) =>
    runEdgeway(['server-json', project.folder, '--name', 'com.example/notes', ...args])

  it('prints, writes and checks the file of a factory', async () => {
    const printed = await run()
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    const value = JSON.parse(printed.stdout)
    const variables = { org: { description: 'The team', isRequired: true } }
    expect(value).toMatchObject({
      name: 'com.example/notes',
      version: '1.4.0',
      repository: { source: 'github' },
      remotes: [
        { type: 'streamable-http', url: `${ORIGIN}/mcp/{org}`, variables },
        { type: 'sse', url: `${ORIGIN}/sse/{org}`, variables },
      ],
    })
    expect(existsSync(file)).toBe(false)
    expect(await run('--check')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the file does not exist'),
    })
    expect(existsSync(file)).toBe(false)
    expect((await run('--write')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(printed.stdout)
    expect(await run('--check')).toMatchObject({ code: 0, stderr: '' })
    project.write({ 'server.json': printed.stdout.replace('1.4.0', '1.3.0') })
    const old = await run('--check')
    expect([old.code, old.stderr]).toEqual([
      1,
      expect.stringContaining('"1.3.0", and becomes "1.4.0"'),
    ])
    expect(readFileSync(file, 'utf8')).toContain('1.3.0')
  })

  it('leaves a file that is not JSON as it is, and says so', async () => {
    project.write({ 'server.json': '{ "name": ' })
    const { code, stderr } = await run('--write')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/server\.json is not a JSON object/)])
    expect(readFileSync(file, 'utf8')).toBe('{ "name": ')
    rmSync(file)
  })

  it('leaves a JSON file of another kind as it is, and says so', async () => {
    const manifest = '{ "name": "notes", "version": "1.0.0", "private": true }'
    project.write({ 'notes.json': manifest })
    const other = join(project.folder, 'notes.json')
    const { code, stderr } = await run('--write', '--out', other)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/notes\.json is not a server\.json/)])
    expect(readFileSync(other, 'utf8')).toBe(manifest)
  })

  it('names the command that writes a file that is out of date, with its options', async () => {
    const none = join(project.folder, 'none.json')
    const { code, stderr } = await run('--check', '--out', none)
    const command = `edgeway server-json ${project.folder} --out ${none} --name com.example/notes --write`
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Run ${command}:`)])
  })

  it.concurrent.each([
    [
      ['--name', 'com.example/other'],
      /No server has the name com\.example\/other: the main module has com\.example\/docs, com\.example\/notes/,
    ],
    [['--env', 'staging'], /has no environment staging/],
    [['--origin', 'http://localhost'], /--origin is "http:\/\/localhost"/],
    [['--write', '--check'], /--check writes nothing/],
  ])('refuses %j and says why', async (args, message) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})
