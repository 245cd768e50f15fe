/** A project with one planted fault at a time: `edgeway doctor --config` names it, and nothing else. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examineProject, faultsOf, type ProjectReport } from '../src/config/examine-project.ts'
import { readSecretFiles } from '../src/config/local-secrets.ts'
import { observeFlags, observeProject } from '../src/config/observe-project.ts'
import type {
  ObservedEnvironment,
  ProjectObservations,
} from '../src/config/project-observations.ts'
import { loadWrangler, readEnvironments } from '../src/config/wrangler.ts'
import { codesOf } from './examine.ts'
import {
  APPS,
  CONFIGURATIONS,
  CORRECT_ASSETS,
  MODULES,
  type PlantedProject,
} from './planted/configuration.ts'
import { CONFIGURATION, createProject, type Files, initGit, MAIN } from './project.ts'

function started({ files, isRepository }: Pick<PlantedProject, 'files' | 'isRepository'>) {
  const project = createProject(files)
  onTestFinished(() => project.remove())
  if (isRepository) initGit(project.folder)
  return project.folder
}

/** The main module is that of the correct project: it is loaded once. */
let correct: Promise<ProjectObservations> | undefined

async function examineConfiguration(folder: string) {
  correct ??= observeProject(started({ files: {} }))
  const observed = await correct
  const path = join(folder, 'wrangler.toml')
  const wrangler = await loadWrangler(path)
  const environments: ObservedEnvironment[] = []
  for (const environment of readEnvironments(wrangler, path)) {
    const known = [...observed.environments, ...environments]
    environments.push(await observeFlags(wrangler, environment, known))
  }
  const [first = observed.environments[0], ...others] = environments
  const secretFiles = readSecretFiles(folder)
  return faultsOf({ ...observed, environments: [first, ...others], secretFiles })
}

const named = ({ clients }: ProjectReport) =>
  clients.filter(({ findings }) => findings.length > 0).map(({ name }) => name)

describe('edgeway doctor --config', () => {
  it.each(CONFIGURATIONS)('names $fault alone when $when', async (row) => {
    const found = await examineConfiguration(started(row))
    expect(found.map(({ code }) => code)).toEqual([row.fault])
  })

  it('names nothing when static assets answer navigations to paths for programs alone', async () => {
    expect(await examineConfiguration(started({ files: CORRECT_ASSETS }))).toEqual([])
  })

  it('names the pages that static assets hide, and no path for programs', async () => {
    const row = CONFIGURATIONS.find(({ fault }) => fault === 'assets-hide-server')
    const [found] = await examineConfiguration(started({ files: row?.files ?? {} }))
    expect(found?.message).toBe(
      'not_found_handling is "single-page-application", and run_worker_first does not have "/authorize", "/authorize/decision", "/authorize/callback"',
    )
  })

  it.each(MODULES)('names $fault alone when $when', async (row) => {
    expect(codesOf(examineProject(await observeProject(started(row))))).toEqual([row.fault])
  })

  describe('on several apps, whose main modules are loaded together', () => {
    let all: ProjectObservations

    beforeAll(async () => {
      const files = APPS.map(({ main }, at) => [`app-${at}.ts`, main] as const)
      const imports = files.map(([name]) => `import './${name}'\n`).join('')
      const worker = `export * from './correct.ts'\nexport { default } from './correct.ts'\n${imports}`
      const modules = Object.fromEntries([['worker.ts', worker], ['correct.ts', MAIN], ...files])
      const project = createProject(modules)
      all = await observeProject(project.folder).finally(() => project.remove())
    })

    /** As if there were no other app. */
    function examineApp(at: number): ProjectReport {
      const { worker } = all
      if (worker === undefined) throw new Error(all.failure?.message)
      return examineProject({ ...all, worker: { ...worker, apps: worker.apps.slice(at, at + 1) } })
    }

    it('names nothing for the correct one', () => {
      expect(codesOf(examineApp(0))).toEqual([])
    })

    it.each(APPS)('names $fault alone when $when', ({ main, fault }) => {
      const at = APPS.findIndex((app) => app.main === main)
      expect(codesOf(examineApp(at + 1))).toEqual([fault])
    })

    it('names an outputSchema without "type": "object" for the clients of the modern revision alone', () => {
      const at = APPS.findIndex(({ fault }) => fault === 'tool-output-not-object')
      const report = examineApp(at + 1)
      expect(named(report)).toEqual(['Claude (web)', 'Claude Desktop', 'Claude Code'])
      expect(report.clients.filter(({ connects }) => !connects)).toEqual([])
    })
  })

  it.each([
    'run_worker_first = true',
    'run_worker_first = ["/*", "!/assets/*"]',
    'not_found_handling = "none"',
  ])('finds nothing when static assets are configured with %s', async (line) => {
    const handling = line.startsWith('not') ? '' : 'not_found_handling = "single-page-application"'
    const text = `${CONFIGURATION}\n[assets]\ndirectory = "public"\n${handling}\n${line}\n`
    const files: Files = { 'wrangler.toml': text, 'public/index.html': '<h1>App</h1>' }
    expect(await examineConfiguration(started({ files }))).toEqual([])
  })
})
