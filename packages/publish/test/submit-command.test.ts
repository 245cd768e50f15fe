/** `edgeway submit` as a process, on a project. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Ended, runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { LISTING } from '../../../test/support/node/submission.ts'
import { createProject } from '../../doctor/test/project.ts'
import { startReferenceServer } from '../../doctor/test/reference-server.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const LOGO = join(ROOT, 'examples/notebook/listing/logo.png')
const MAIN = ofCheckout(`
import { createEdgeway, jsonSchema, McpServer } from 'edgeway'
import { serverCard } from 'edgeway/server-card'

const server = new McpServer({
  name: 'parcels',
  version: '1.2.3',
  title: 'Parcels',
  description: 'Finds parcels by their number',
})
const inputSchema = jsonSchema({
  type: 'object',
  properties: { number: { type: 'string', description: 'The number on the parcel' } },
  additionalProperties: false,
})
const outputSchema = jsonSchema({ type: 'object', properties: { place: { type: 'string' } } })
server.registerTool('find_parcel', {
  title: 'Find a parcel',
  description: 'Finds a parcel by its number and returns where it is.',
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
}, () => ({ structuredContent: { place: 'Lisbon' }, content: [] }))
server.registerTool('delete_parcel', {
  title: 'Delete a parcel',
  description: 'Deletes a parcel from the list.',
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
}, () => ({ structuredContent: { place: 'nowhere' }, content: [] }))

export default createEdgeway(server, { features: [serverCard({ name: 'dev.parcels/parcels' })] })
`)

const CONFIGURATION = `
name = "parcels"
main = "worker.ts"
compatibility_date = "2026-11-01"
`

const submit = (cwd: string, ...args: readonly string[]): Promise<Ended> =>
  runEdgeway(['submit', ...args], { cwd })

describe('edgeway submit', () => {
  const project = createProject({
    'worker.ts': MAIN,
    'wrangler.toml': CONFIGURATION,
    LICENSE: 'MIT License\n',
    'package.json': '{ "license": "MIT" }',
  })
  const { folder } = project
  cpSync(LOGO, join(folder, 'logo.png'))
  const { testAccount: _, ...listing } = LISTING
  const write = (value: unknown) => project.write({ 'directory.json': JSON.stringify(value) })
  const run = (...args: readonly string[]) => submit(folder, ...args)

  afterAll(() => project.remove())

  it.each<[string, readonly string[], number, RegExp]>([
    ['no directory.json', ['claude'], 2, /There is no .*directory\.json\. Write a first one/],
    ['no directory', [], 2, /missing required argument 'directory'/],
    ['an unknown directory', ['gemini'], 2, /Allowed choices are claude, openai, registry, init/],
    ['a folder that does not exist', ['init', 'nowhere'], 2, /There is no folder/],
    ['a folder without a project', ['registry', '..'], 2, /has none of wrangler\.json/],
    [
      'a URL for the registry',
      ['registry', '--url', 'https://mcp.example.com/mcp'],
      2,
      /--url is not for registry, which reads the project/,
    ],
    ['a token without a URL', ['claude', '--token', 'x'], 2, /--token needs --url/],
    ['a check of a first listing', ['init', '--check'], 2, /--check is not for init/],
    [
      'a URL of another scheme',
      ['claude', '--url', 'ftp://x'],
      2,
      /It is not an http or https URL/,
    ],
  ])('with %s writes nothing and says why', async (_, args, code, message) => {
    const { stderr, ...ended } = await run(...args)
    expect([ended.code, stderr]).toEqual([code, expect.stringMatching(message)])
    expect(existsSync(join(folder, 'submissions'))).toBe(false)
  })

  it('writes a first listing once, which names what is to be filled in', async () => {
    const written = await run('init')
    expect([written.code, written.stdout]).toEqual([
      0,
      expect.stringMatching(/^directory\.json has been written\. Fill in what is empty/),
    ])
    const first = JSON.parse(readFileSync(join(folder, 'directory.json'), 'utf8'))
    expect(first).toMatchObject({
      name: 'parcels',
      title: 'Parcels',
      shortDescription: 'Finds parcels by their number',
      justifications: { find_parcel: { readOnly: '' } },
    })
    expect(await run('init')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/directory\.json exists\. Nothing was written/),
    })
    const { code, stderr } = await run('openai')
    expect(code).toBe(2)
    expect(stderr).toMatch(/directory\.json:\d+:\d+: privacy is empty: it must be a URL/)
  })

  it('names each reason of the directory with its code, what to write and the rule, and writes nothing', async () => {
    write({ ...listing, shortDescription: 'x'.repeat(31) })
    const { code, stderr, stdout } = await run('openai')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^Nothing was written: the plugins directory of OpenAI would refuse it, for one reason\.\n\nlisting-field-too-long: .*31 characters, and 30 are accepted\.\n {2}Shorten it.*\n {2}Rule: .*https:\/\//,
    )
    expect(existsSync(join(folder, 'submissions'))).toBe(false)
  })

  it('writes the files, checks them, and keeps what the author has changed', async () => {
    write(listing)
    const written = await run('openai')
    expect([written.code, written.stderr]).toEqual([0, ''])
    expect(written.stdout).toMatch(/^submissions\/openai has been written: 10 of 10 files\./)
    const readme = join(folder, 'submissions/openai/plugin/README.md')
    writeFileSync(readme, 'mine')
    expect(await run('openai', '--check')).toMatchObject({
      code: 1,
      // The ZIP would contain it.
      stderr: expect.stringMatching(
        /^submissions\/openai\/plugin\/README\.md has been changed\nsubmissions\/openai\/parcels-1\.2\.3\.zip is out of date\n$/,
      ),
    })
    expect((await run('openai')).stdout).toContain(
      'submissions/openai/plugin/README.md has been changed and was left alone: --force replaces it.',
    )
    expect(readFileSync(readme, 'utf8')).toBe('mine')
  })

  it('writes server.json for the registry without a listing, with the origin of the configuration', async () => {
    project.write({ 'directory.json': '' })
    const vars = '[vars]\nEDGEWAY_ORIGIN = "https://mcp.parcels.dev"\n'
    project.write({
      'wrangler.toml': `${CONFIGURATION}${vars}`,
      'server.json': '{ "packages": [], "version": "0.1.0" }',
    })
    expect((await run('registry')).code).toBe(0)
    const read = (file: string) => readFileSync(join(folder, 'submissions/registry', file), 'utf8')
    expect(JSON.parse(read('server.json'))).toMatchObject({
      name: 'dev.parcels/parcels',
      version: '1.2.3',
      packages: [],
      remotes: [{ type: 'streamable-http', url: 'https://mcp.parcels.dev/mcp' }],
    })
    expect(read('publish.md')).toContain('mcp-publisher login http --domain parcels.dev')
    project.write({ 'wrangler.toml': CONFIGURATION, 'server.json': '' })
  })

  it('reads the definition of a running server in place of the project', async () => {
    const server = await startReferenceServer()
    try {
      write(listing)
      const { code, stderr } = await run('claude', '--url', server.url)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^tool-title-missing: .*greet|^tool-hints-missing: /m)
      const first = ['init', '--url', server.url, '--listing', 'first.json'] as const
      expect(await run(...first)).toMatchObject({ code: 0, stderr: '' })
      const written = JSON.parse(readFileSync(join(folder, 'first.json'), 'utf8'))
      // The address is one of development.
      expect(written).toMatchObject({ url: '', justifications: { greet: { readOnly: '' } } })
      expect(await run(...first)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/exists/),
      })
    } finally {
      await server.stop()
    }
    const unreached = await run('claude', '--url', 'http://127.0.0.1:9/mcp')
    expect([unreached.code, unreached.stderr]).toEqual([
      2,
      expect.stringMatching(/The lists of the server cannot be read/),
    ])
  })
})
