/**
 * `npm run mutations -- --seed N [--count N] [--against COMMIT] [--quick] [--only ID,…] [--record] [--report]`:
 * plants mutants in a copy of the project, one after the other, and says which of them the types and the tests
 * find. The results are in `.mutations`, and a second start continues where the first ended.
 *
 * A mutant is found if a type has an error, or if one test fails twice with it and passes without it; a timeout counts
 * only where the title or the file of the test is about time. `--quick` leaves the long tests out, `--against` uses the
 * tests of an earlier commit over the present source: run it after a change that removes tests. `--record` records anew
 * which tests run which line. A survivor needs a test, or changes nothing that can be observed.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseMutants, countCodeLines } from './mutations/choose.ts'
import { type Mutant, mutantsOf } from './mutations/mutants.ts'
import { recordedCoverage } from './mutations/recorded-coverage.ts'
import { formatReport } from './mutations/report.ts'
import { appendResult, findStale, readResults } from './mutations/results.ts'
import { createSuite, projectsOf, type Suite } from './mutations/suite.ts'
import { createTree, MUTATIONS_DIRECTORY, SOURCE_FOLDERS } from './mutations/tree.ts'
import { createTypeChecker } from './mutations/types.ts'
import { type MutantResult, nameOf, remainingStages, type Stage } from './mutations/verdict.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

/** These projects test what they build from the source, in which nothing counts lines. */
const NOT_RECORDED = ['tarball', 'site']

const flags = readFlags()
const stages: readonly Stage[] = [
  ...(['types', 'test'] as const),
  ...(flags.quick ? [] : (['test:long'] as const)),
  ...(flags.against === undefined ? [] : (['against'] as const)),
]
const path = join(MUTATIONS_DIRECTORY, `seed-${flags.seed}-${flags.count}.jsonl`)
const results = new Map(readResults(path))

if (flags.report) {
  if (results.size === 0)
    fail(`There are no results of seed ${flags.seed}. Run it without --report.`)
  print(formatReport([...results.values()].sort((a, b) => a.id - b.id)))
  process.exit(0)
}

const mutants = chooseMutants(readSource(), flags.count, flags.seed)
const stale = findStale(results, mutants)
if (stale !== undefined) {
  fail(
    `The source has changed since the results of seed ${flags.seed} were written: mutant ${stale} is another one now. Choose another seed, or delete ${path}.`,
  )
}
mkdirSync(MUTATIONS_DIRECTORY, { recursive: true })
const remaining = mutants
  .map((mutant, index) => ({ mutant, id: index + 1 }))
  .filter(({ id }) => flags.only === undefined || flags.only.includes(id))
  .map(({ mutant, id }) => ({ mutant, id, ask: remainingStages(results.get(id), stages) }))
  .filter(({ ask }) => ask.length > 0)
print(`${mutants.length} mutants of seed ${flags.seed}, of which ${remaining.length} remain.`)

const suites = new Map<Stage, Suite>()
try {
  if (remaining.length > 0) await plantAll()
} finally {
  for (const suite of suites.values()) await suite.close()
}
print(`\n${formatReport([...results.values()].sort((a, b) => a.id - b.id))}`)

async function plantAll(): Promise<void> {
  const tree = createTree('now')
  const types = createTypeChecker(tree.directory)
  for (const { mutant, id, ask } of remaining) {
    let result = results.get(id) ?? {
      ...{ id, seed: flags.seed, ...mutant },
      ...{ asked: 'types' as const, ignored: [], seconds: {} },
    }
    for (const stage of ask) {
      if (result.foundBy !== undefined) break
      const began = Date.now()
      const found = stage === 'types' ? checkTypes(mutant) : await searchSuite(mutant, stage)
      const seconds = Math.round((Date.now() - began) / 100) / 10
      result = {
        ...{ ...result, ...found, asked: stage },
        ignored: [...result.ignored, ...(found.ignored ?? [])],
        seconds: { ...result.seconds, [stage]: seconds },
      }
    }
    appendResult(path, result)
    results.set(id, result)
    print(lineOf(result))
  }

  function checkTypes(mutant: Mutant): Partial<MutantResult> {
    tree.write(mutant, true)
    try {
      const error = types.check()
      return error === undefined ? {} : { foundBy: 'types', test: error }
    } finally {
      tree.write(mutant, false)
    }
  }

  async function searchSuite(
    mutant: Mutant,
    stage: Exclude<Stage, 'types'>,
  ): Promise<Partial<MutantResult>> {
    const suite = suites.get(stage) ?? (await openSuite(stage))
    suites.set(stage, suite)
    const { found, ignored } = await suite.search(mutant)
    if (found === undefined) return { ignored }
    return { foundBy: stage, test: nameOf(found), message: found.message.slice(0, 500), ignored }
  }

  async function openSuite(stage: Exclude<Stage, 'types'>): Promise<Suite> {
    const commit = flags.against ?? ''
    const of = stage === 'against' ? createTree(`against-${commit}`, commit) : tree
    const packageJson = readFileSync(join(of.directory, 'package.json'), 'utf8')
    const fast = projectsOf(packageJson, 'test')
    const long = projectsOf(packageJson, 'test:long')
    if (stage === 'test:long') return createSuite({ tree: of, projects: long })
    const projects = stage === 'test' || fast.length === 0 ? fast : [...fast, ...long]
    const recorded = fast.filter((project) => !NOT_RECORDED.includes(project))
    return createSuite({
      ...{ tree: of, projects },
      coverage: await recordedCoverage(of, recorded, flags.record, print),
    })
  }
}

function readSource() {
  const list = execFileSync('git', ['ls-files', '-z', ...SOURCE_FOLDERS], {
    cwd: PROJECT_DIRECTORY,
    encoding: 'utf8',
  })
  const files = list.split('\0').filter((file) => /(?<!\.d|\.generated|\.config)\.tsx?$/.test(file))
  return files.map((file) => {
    const source = readFileSync(join(PROJECT_DIRECTORY, file), 'utf8')
    return { path: file, lines: countCodeLines(source), mutants: mutantsOf(file, source) }
  })
}

function lineOf({ id, file, line, kind, foundBy, test, seconds }: MutantResult): string {
  const total = Object.values(seconds).reduce((sum, value) => sum + value, 0)
  const outcome = foundBy === undefined ? 'SURVIVES' : `${foundBy}: ${test?.slice(0, 140)}`
  return `${id}. ${file}:${line} ${kind}, ${Math.round(total)} s, ${outcome}`
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string' },
        count: { type: 'string', default: '100' },
        against: { type: 'string' },
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        report: { type: 'boolean', default: false },
      },
    })
    const number = (name: string, text: string | undefined) => {
      if (text === undefined || !/^\d{1,6}$/.test(text)) {
        throw new TypeError(`--${name} takes a number from 0 to 999999`)
      }
      return Number(text)
    }
    const { seed, count, only, against } = values
    const commit = () =>
      execFileSync('git', ['rev-parse', '--verify', '--quiet', `${against}^{commit}`], {
        ...{ cwd: PROJECT_DIRECTORY, encoding: 'utf8' },
      }).slice(0, 12)
    return {
      ...values,
      against: against === undefined ? undefined : commit(),
      seed: number('seed', seed),
      count: number('count', count),
      only: only?.split(',').map((id) => number('only', id)),
    }
  } catch (error) {
    const isGit = error instanceof Error && 'status' in error
    const problem = isGit ? '--against takes a commit of this repository' : String(error)
    return fail(
      `${problem.replace(/^TypeError(?: \[.*?\])?: /, '')}\nusage: npm run mutations -- --seed N [--count N] [--against COMMIT] [--quick] [--only ID,…] [--record] [--report]`,
    )
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}
