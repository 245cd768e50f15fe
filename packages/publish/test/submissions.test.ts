/** The submissions of the notebook and of new servers, in each directory. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ofCheckout } from '../../../test/support/node/entries.ts'
import { LISTING } from '../../../test/support/node/submission.ts'
import { AUTH_NAMES, type AuthChoice } from '../../cli/src/init/auth-choice.ts'
import { starterFiles } from '../../cli/src/init/starter-files.ts'
import { writeFiles } from '../../cli/src/init/write-files.ts'
import {
  type LoadedProject,
  loadProject,
  withSurfaces,
} from '../../doctor/src/definition/read-project.ts'
import { verdictsOn } from '../../doctor/test/verdicts.ts'
import { firstListing, firstSourceOf } from '../src/submit/first-listing.ts'
import { type Prepared, prepare } from '../src/submit/prepare.ts'
import { readListing } from '../src/submit/read-listing.ts'
import { registryFiles } from '../src/submit/registry/registry-files.ts'
import { projectSource } from '../src/submit/source.ts'
import { readSubmission } from '../src/submit/submission.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const LOGO = join(ROOT, 'examples/notebook/listing/logo.png')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-submissions-'))

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

/** The codes of why a directory refuses what was prepared. */
const refusals = ({ findings, problems }: Prepared) => [
  ...findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
  ...problems.map(({ code }) => code),
]

/** Why each directory refuses a project with a listing. */
async function refusalsOf(project: LoadedProject, folder: string, file: string) {
  const submission = await readSubmission(folder, file, async (listing) =>
    projectSource(withSurfaces(project), listing),
  )
  return [
    prepare('claude', submission),
    prepare('openai', submission),
    registryFiles(project, readListing(file)),
  ].map(refusals)
}

describe('the notebook', () => {
  const listing = join(ROOT, 'examples/notebook/directory.json')

  it('is accepted by every directory', async () => {
    expect(await refusalsOf(await loadProject(ROOT), ROOT, listing)).toEqual([[], [], []])
  })
})

describe('a new server whose listing is filled in', () => {
  const create = (auth: AuthChoice): string => {
    const folder = join(TEMPORARY, auth)
    const files = starterFiles({ name: 'dice', auth, description: undefined, edgeway: '*' })
    for (const [path, text] of files) {
      if (!/^src\/.*\.ts$/.test(path)) continue
      files.set(path, ofCheckout(String(text)).replaceAll('your-account', 'octocat'))
    }
    writeFiles(folder, files)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    cpSync(LOGO, join(folder, 'logo.png'))
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
    return folder
  }

  it.each(AUTH_NAMES)(
    'has no fault for the doctor and is accepted by every directory, with the sign-in %s',
    async (auth) => {
      const folder = create(auth)
      const file = join(folder, 'directory.json')
      const { project, findings, refusals } = await verdictsOn(folder)
      expect([findings, refusals]).toEqual([[], []])
      const first = firstListing(firstSourceOf(withSurfaces(project)), folder)
      expect(Object.keys(first.justifications)).toEqual(['roll_dice', 'book_table'])
      const why = LISTING.justifications?.find_parcel
      const { url: _, name: __, title: ___, cases, testAccount, ...filled } = LISTING
      const value = {
        ...first,
        ...filled,
        url: 'https://dice.octocat.workers.dev/mcp',
        title: 'Dice',
        license: 'MIT',
        justifications: { roll_dice: why, book_table: why },
        cases: {
          positive: cases?.positive.map((each) => ({ ...each, tools: ['roll_dice'] })),
          negative: cases?.negative,
        },
        ...(auth === 'open' ? {} : { testAccount }),
      }
      writeFileSync(file, JSON.stringify(value))
      expect(await refusalsOf(project, folder, file)).toEqual([[], [], []])
    },
  )

  it('is refused by the registry under the name that edgeway init writes', async () => {
    const folder = join(TEMPORARY, 'open')
    const features = join(folder, 'src/features.ts')
    writeFileSync(features, readFileSync(features, 'utf8').replaceAll('octocat', 'your-account'))
    const url = 'https://dice.octocat.workers.dev/mcp'
    const prepared = registryFiles(await loadProject(folder), { url })
    expect(refusals(prepared)).toEqual(['server-name-placeholder'])
  })
})
