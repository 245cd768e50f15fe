/** Tests what the workflows may run and know, and which files of secrets git ignores. */
// features: all
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const ROOT = resolve(import.meta.dirname, '..')
const FOLDERS = ['.github/workflows', 'starter/base/_github/workflows']

interface Job {
  readonly env?: object
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
}

const PATHS = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`),
)

const workflows = [...PATHS, 'starter/publish.yml'].map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return [path, text, parse(text) as { env?: object; jobs: Record<string, Job> }] as const
})

const INSTALLS = /\bnpm (?:ci|install|i|run|pack|test|exec)\b|\bnpx\b|bash \.ci\/run/

describe.each(workflows)('the workflow %s', (_, text, { env, jobs }) => {
  it('names each action by a commit', () => {
    const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(0)
    const unpinned = actions.filter(
      (action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ''),
    )
    expect(unpinned).toEqual([])
  })

  it('has secrets in steps alone, of jobs that install and build nothing', () => {
    expect(JSON.stringify(env ?? {})).not.toContain('secrets.')
    for (const [name, job] of Object.entries(jobs)) {
      expect([name, JSON.stringify(job.env ?? {})]).not.toEqual([
        name,
        expect.stringContaining('secrets.'),
      ])
      if (!JSON.stringify(job.steps).includes('secrets.')) continue
      const installing = job.steps.filter(({ run = '' }) => INSTALLS.test(run))
      expect([name, installing]).toEqual([name, []])
    }
  })
})

describe('the job that publishes the packages', () => {
  const [, , release] = workflows.find(([path]) => path.endsWith('/release.yml')) ?? []

  it('publishes what another job has packed, without scripts', () => {
    const { pack, publish } = release?.jobs ?? {}
    expect(pack?.permissions).toBeUndefined()
    expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write' })
    const published = publish?.steps.flatMap(({ run = '' }) => run.match(/npm publish .*/g) ?? [])
    expect(published).toEqual([
      'npm publish "./edgeway-$version.tgz" --ignore-scripts --provenance --access public',
      'npm publish "./create-edgeway-$version.tgz" --ignore-scripts --provenance --access public',
    ])
  })
})

describe('the files of secrets that git ignores', () => {
  // In a folder that is no repository, as for the copy of a project.
  const ignored = (ignoreFile: string, path: string) => {
    const options = { cwd: ROOT, encoding: 'utf8' } as const
    const file = join(ROOT, ignoreFile)
    const args = ['-c', `core.excludesFile=${file}`, 'check-ignore', '--no-index', '--quiet', path]
    return spawnSync('git', args, options).status === 0
  }

  it.each([
    '.dev.vars',
    '.dev.vars.production',
    '.env',
    '.env.local',
    'apps/a/.env',
    'apps/a/.dev.vars',
  ])('of a new server have %s', (path) => {
    expect(ignored('starter/base/_gitignore', `sub/${path}`)).toBe(true)
  })

  it.each([
    ['.dev.vars.production', true],
    ['examples/notebook/.dev.vars.staging', true],
    ['.env.local', true],
    ['examples/notebook/.env', true],
    ['.dev.vars.example', false],
    ['.env', false],
    ['examples/authorization/.env', false],
  ])('of this repository: %s is ignored: %s', (path, isIgnored) => {
    expect(ignored('.gitignore', path)).toBe(isIgnored)
  })
})
