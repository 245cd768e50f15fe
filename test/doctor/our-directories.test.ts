/** The notebook, every example and the starter in each kind: every directory accepts their definitions. */
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
import { examineProjectFor } from '../../cli/directories/examine.ts'
import { DIRECTORY_NAMES } from '../../cli/directories/names.ts'
import { AUTH_NAMES, type AuthChoice } from '../../cli/init/auth-choice.ts'
import { starterFiles } from '../../cli/init/starter-files.ts'
import { ofCheckout } from './project.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-directories-'))

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

async function refusals(path: string) {
  const { directories } = await examineProjectFor(DIRECTORY_NAMES, path)
  return directories.flatMap(({ name, findings }) =>
    findings
      .filter(({ severity }) => severity === 'error')
      .map(({ code, message }) => `${name} ${code}: ${message}`),
  )
}

const EXAMPLES = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The configuration of an example: its own, or that of all others, with its main module. */
function configurationOf(name: string): string {
  const folder = join(ROOT, 'examples', name)
  const own = join(folder, 'wrangler.toml')
  if (existsSync(own)) return own
  const shared = readFileSync(join(ROOT, 'examples/wrangler.toml'), 'utf8')
  const file = join(TEMPORARY, `${name}.toml`)
  writeFileSync(file, `main = ${JSON.stringify(join(folder, 'worker.ts'))}\n${shared}`)
  return file
}

describe('every directory accepts', () => {
  symlinkSync(join(ROOT, 'node_modules'), join(TEMPORARY, 'node_modules'))

  it('the notebook', async () => {
    expect(await refusals(join(ROOT, 'wrangler.toml'))).toEqual([])
  })

  // One directory refuses a tool that calls any other.
  it.each(EXAMPLES.filter((name) => name !== 'search'))('the example %s', async (name) => {
    expect(await refusals(configurationOf(name))).toEqual([])
  })

  it('the example search, but for one that takes no tool which calls any other', async () => {
    const found = await refusals(configurationOf('search'))
    expect(found).toEqual([
      expect.stringMatching(/^claude-directory tool-reads-and-writes: .*"call_tool"/),
    ])
  })

  const description = readFileSync(join(ROOT, 'examples/openapi/description.json'), 'utf8')
  const kinds: readonly (readonly [
    kind: string,
    auth: AuthChoice,
    openapi: boolean,
    key: boolean,
  ])[] = [
    ...AUTH_NAMES.map((auth) => [auth, auth, false, false] as const),
    ['open with an OpenAPI description', 'open', true, false],
    ['passphrase with an OpenAPI description and its key', 'passphrase', true, true],
  ]

  it.each(kinds)('the starter of the kind %s', async (kind, auth, openapi, needsKey) => {
    const folder = join(TEMPORARY, kind.replaceAll(' ', '-'))
    const files = starterFiles({
      name: 'my-server',
      auth,
      description: openapi ? { text: description, needsKey } : undefined,
      edgeway: '1.0.0',
    })
    for (const [path, contents] of files) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof contents === 'string' ? ofCheckout(contents) : contents)
    }
    expect(await refusals(folder)).toEqual([])
  })
})
