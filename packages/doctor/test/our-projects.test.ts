/** The notebook, the fixtures, every example and the starter: the doctor finds nothing, and every directory accepts them. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import type { AuthChoice } from '../../cli/src/init/auth-choice.ts'
import { starterFiles } from '../../cli/src/init/starter-files.ts'
import { examineProject } from '../src/config/examine-project.ts'
import { observeProject } from '../src/config/observe-project.ts'
import { verdictsOn } from './verdicts.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-directories-'))

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const EXAMPLES = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const hasConfiguration = (name: string) => existsSync(join(ROOT, 'examples', name, 'wrangler.toml'))

/** The configuration that all other examples share, with the main module of one. It binds no objects. */
function sharedConfiguration(name: string): string {
  const folder = join(ROOT, 'examples', name)
  const shared = readFileSync(join(ROOT, 'examples/wrangler.toml'), 'utf8')
  const file = join(TEMPORARY, `${name}.toml`)
  writeFileSync(file, `main = ${JSON.stringify(join(folder, 'worker.ts'))}\n${shared}`)
  return file
}

describe('the projects of this repository', () => {
  symlinkSync(join(ROOT, 'node_modules'), join(TEMPORARY, 'node_modules'))

  it.each([
    'wrangler.toml',
    ...EXAMPLES.filter(hasConfiguration).map((name) => `examples/${name}/wrangler.toml`),
  ])('the doctor finds nothing in %s, and every directory accepts it', async (path) => {
    const { findings, refusals } = await verdictsOn(join(ROOT, path))
    expect([findings, refusals]).toEqual([[], []])
  })

  it('the doctor finds nothing in test/fixtures/protected/wrangler.toml, whose definition depends on the caller', async () => {
    const observed = await observeProject(join(ROOT, 'test/fixtures/protected/wrangler.toml'))
    expect(examineProject(observed).clients.flatMap(({ findings }) => findings)).toEqual([])
  })

  it('the doctor finds the schema that the conformance suite asks for in test/fixtures/wrangler.toml', async () => {
    const { findings } = await verdictsOn(join(ROOT, 'test/fixtures/wrangler.toml'))
    expect(findings).toEqual(['tool-schema-composed'])
  })

  // One directory refuses a tool that calls any other.
  const others = EXAMPLES.filter((name) => !hasConfiguration(name) && name !== 'search')
  it.each(others)('every directory accepts the example %s', async (name) => {
    expect((await verdictsOn(sharedConfiguration(name))).refusals).toEqual([])
  })

  it('every directory accepts the example search, but for one that takes no tool which calls any other', async () => {
    expect((await verdictsOn(sharedConfiguration('search'))).refusals).toEqual([
      expect.stringMatching(/^claude-directory tool-reads-and-writes: .*"call_tool"/),
    ])
  })

  const description = readFileSync(join(ROOT, 'examples/openapi/description.json'), 'utf8')
  it.each<[auth: AuthChoice, needsKey: boolean, title: string, people: string]>([
    ['open', false, 'an OpenAPI description', 'none'],
    ['open', true, 'an OpenAPI description and its key', 'know the URL'],
    ['passphrase', true, 'an OpenAPI description and its key', 'sign in'],
    ['api-key', true, 'an OpenAPI description with the key of the caller', 'none'],
  ])(
    'the doctor finds nothing in the starter with sign-in %s (a key: %s) and %s, every directory accepts it, and those who share the key are named: %s',
    async (auth, needsKey, _, people) => {
      const folder = join(TEMPORARY, `${auth}-${needsKey}`)
      const files = starterFiles({
        name: 'my-server',
        auth,
        description: { text: description, needsKey, baseUrl: 'https://parcels.example.com' },
        edgeway: '1.0.0',
      })
      for (const [path, contents] of files) {
        const file = join(folder, path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, typeof contents === 'string' ? ofCheckout(contents) : contents)
      }
      const { findings, refusals, notes } = await verdictsOn(folder)
      expect([findings, refusals]).toEqual([[], []])
      const [, shared = 'none'] =
        /All who ([\w ]+) act with the secret API_KEY/.exec(notes.join()) ?? []
      expect(shared).toBe(people)
    },
  )
})
