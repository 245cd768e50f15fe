/** The tests of some projects in one tree: those that run the line of a mutant first, then all others. */
import { type Coverage, coveringTests } from './coverage.ts'
import { type Host, startHost } from './host.ts'
import { StoppedError } from './host-messages.ts'
import type { Mutant } from './mutants.ts'
import { inGroups, nearestFirst } from './order.ts'
import type { Tree } from './tree.ts'
import { type RunTests, type Search, searchTests } from './verdict.ts'

const MINUTE = 60_000
const LIMITS = { open: 5 * MINUTE, covering: 15 * MINUTE, rest: 90 * MINUTE }

/** A host that has run so many mutants starts anew: vitest keeps every version of a module. */
const MUTANTS_PER_HOST = 25

export interface Suite {
  /** Plants a mutant, looks for a test that finds it, and takes it out again. */
  search(mutant: Mutant): Promise<Search>
  close(): Promise<void>
}

export interface SuiteOptions {
  readonly tree: Tree
  /** Projects of vitest. None: all. */
  readonly projects: readonly string[]
  /** Without it, all tests run in the order of vitest. */
  readonly coverage?: Coverage
  readonly maxWorkers?: number
}

interface OpenHost {
  readonly host: Host
  readonly files: readonly string[]
  readonly rebuilt: ReadonlySet<string>
}

export function createSuite({ tree, projects, coverage, maxWorkers }: SuiteOptions): Suite {
  /** The host that stays. A module that it has loaded is only read again when it has changed. */
  let lasting: OpenHost | undefined
  let planted: string | undefined
  let searches = 0

  async function open(): Promise<OpenHost> {
    const host = startHost(tree.directory)
    const workers = maxWorkers === undefined ? {} : { maxWorkers }
    const opened = await host.ask({ type: 'open', projects, ...workers }, 'opened', LIMITS.open)
    return { host, files: opened.files, rebuilt: new Set(opened.rebuilt) }
  }

  async function close(): Promise<void> {
    await lasting?.host.close()
    lasting = undefined
  }

  const runAgain =
    (mutant: Mutant): RunTests =>
    async (files, withMutant, test) => {
      tree.write(mutant, withMutant)
      lasting ??= await open()
      const changed = [...new Set([planted ?? mutant.file, mutant.file])]
      planted = mutant.file
      const request = { type: 'run', files, changed, ...alone(test) } as const
      try {
        return await lasting.host.ask(request, 'ran', LIMITS.covering)
      } catch (error) {
        if (error instanceof StoppedError) await close()
        throw error
      }
    }

  /** A host of their own builds what the projects of these files build from the source. */
  const runAnew =
    (mutant: Mutant): RunTests =>
    async (files, withMutant, test) => {
      tree.write(mutant, withMutant)
      const { host } = await open()
      try {
        const request = { type: 'run', files, changed: [], ...alone(test) } as const
        return await host.ask(request, 'ran', LIMITS.rest)
      } finally {
        await host.close()
      }
    }

  async function searchAll(mutant: Mutant): Promise<Search> {
    lasting ??= await open()
    const { files, rebuilt } = lasting
    const covering = coverage === undefined ? [] : coveringTests(coverage, mutant)
    const first = covering.filter((file) => files.includes(file) && !rebuilt.has(file))
    const ignored: string[] = []
    const others = files.filter((file) => !first.includes(file))
    for (const [groups, run] of [
      [inGroups(first), runAgain(mutant)],
      [nearestFirst(others, mutant.file), runAnew(mutant)],
    ] as const) {
      const search = await searchTests(groups, run)
      ignored.push(...search.ignored)
      if (search.found !== undefined) return { found: search.found, ignored }
    }
    return { ignored }
  }

  return {
    async search(mutant) {
      if (++searches % MUTANTS_PER_HOST === 0) await close()
      try {
        return await searchAll(mutant)
      } finally {
        tree.write(mutant, false)
      }
    },
    close,
  }
}

const alone = (test: string | undefined) => (test === undefined ? {} : { test })

/** The projects that a script of `package.json` runs; none for all. */
export function projectsOf(packageJson: string, script: string): readonly string[] {
  const command = String(JSON.parse(packageJson).scripts[script] ?? '')
  return [...command.matchAll(/--project (\S+)/g)].flatMap(([, name]) => name ?? [])
}
