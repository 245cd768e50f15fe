/**
 * `npm run without -- NAME [--keep]`: the proof that a feature can be taken out. Copies the project, removes the
 * feature and those that depend on it with their fixtures, requirements, entry and tests, and runs the types, the
 * architecture test and the projects `workers` and `node` on the rest. `--all` does so for every feature, one
 * after the other. The last lines have the result of each. The exit code is 1 if anything fails.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyProject } from './support/copy-project.ts'
import { FEATURES } from './support/feature-graph.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { dependents, removeFeatures } from './support/remove-feature.ts'

/** The report of vitest, in the copy. */
const REPORT = '.vitest/without.json'

interface Outcome {
  readonly name: string
  readonly failed: readonly string[]
  readonly tests: number
  readonly seconds: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, keep: { type: 'boolean' } },
})
const names = values.all ? Object.keys(FEATURES) : positionals
const unknown = names.filter((name) => !Object.hasOwn(FEATURES, name))
if (names.length === 0 || unknown.length > 0) {
  const problem = unknown.length > 0 ? `no feature is named ${unknown.join(', ')}\n` : ''
  process.stderr.write(
    `${problem}usage: npm run without -- NAME… | --all [--keep]\nfeatures: ${Object.keys(FEATURES).join(', ')}\n`,
  )
  process.exit(2)
}

const outcomes = names.map(runWithout)
process.stdout.write(`\n${outcomes.map(lineOf).join('\n')}\n`)
process.exit(outcomes.every(({ failed }) => failed.length === 0) ? 0 : 1)

function lineOf({ name, failed, tests, seconds }: Outcome): string {
  const result = failed.length === 0 ? 'passed' : `failed: ${failed.join(', ')}`
  return `without ${name}: ${tests} tests, ${seconds} s, ${result}`
}

function runWithout(name: string): Outcome {
  const began = Date.now()
  const directory = mkdtempSync(join(tmpdir(), 'edgeway-without-'))
  try {
    const features = dependents(name)
    const files = copyProject(directory)
    symlinkSync(join(PROJECT_DIRECTORY, 'node_modules'), join(directory, 'node_modules'))
    const removal = removeFeatures(directory, files, features)
    const tests = [...removal.files].filter((file) => file.endsWith('.test.ts')).length
    print(`without ${features.join(', ')}: ${removal.files.size} files, ${tests} of them tests`)
    if (removal.stray.length > 0) {
      print(`the core imports what was removed: ${removal.stray.join(', ')}`)
    }
    const projects = ['--project', 'workers', '--project', 'node']
    const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile', REPORT]
    const passed = {
      imports: removal.stray.length === 0,
      types: run(directory, 'tsc', ['-b', 'tsconfig.json', 'tsconfig.node.json']),
      requirements: run(directory, 'node', ['scripts/requirements.ts']),
      tests: run(directory, 'vitest', ['run', ...projects, ...reporters]),
    }
    const failed = Object.entries(passed).flatMap(([part, ok]) => (ok ? [] : [part]))
    const seconds = Math.round((Date.now() - began) / 1000)
    const outcome = { name, failed, tests: testsOf(directory), seconds }
    print(lineOf(outcome))
    return outcome
  } finally {
    if (values.keep) print(`kept in ${directory}`)
    else rmSync(directory, { recursive: true, force: true })
  }
}

/** How many tests have run. */
function testsOf(directory: string): number {
  const report = join(directory, REPORT)
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).numTotalTests : 0
}

function run(directory: string, command: string, parameters: readonly string[]): boolean {
  print(`${command} ${parameters.join(' ')}`)
  const { status } = spawnSync(command, parameters, { cwd: directory, stdio: 'inherit' })
  return status === 0
}

function print(line: string): void {
  process.stdout.write(`\n# ${line}\n`)
}
