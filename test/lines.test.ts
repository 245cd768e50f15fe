/** How many lines the parts of the repository have: none grows by 2 % without a new number here, and its reason in the commit. */
// features: all
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const ROOT = resolve(import.meta.dirname, '..')

const PACKAGES = globSync('packages/*/src', { cwd: ROOT }).map((path) => path.split('/')[1] ?? '')

/** The lines of TypeScript of each part, as they were recorded. */
const RECORDED: Readonly<Record<string, number>> = {
  runtime: 68_016,
  'tests of the runtime': 103_805,
  scripts: 4_898,
  examples: 4_616,
  bench: 6_201,
  agents: 666,
  'tests of agents': 1_631,
  cli: 4_122,
  'tests of cli': 3_179,
  client: 837,
  'tests of client': 401,
  code: 3_681,
  'tests of code': 3_559,
  doctor: 8_934,
  'tests of doctor': 4_697,
  events: 6_799,
  'tests of events': 9_758,
  faults: 2_010,
  'tests of faults': 2_310,
  inspector: 12_552,
  'tests of inspector': 11_878,
  migrate: 4_710,
  'tests of migrate': 2_896,
  openapi: 3_830,
  'tests of openapi': 3_112,
  otel: 614,
  'tests of otel': 312,
  publish: 8_524,
  'tests of publish': 5_241,
  sdk: 3_833,
  'tests of sdk': 3_522,
  testing: 3_702,
  'tests of testing': 1_523,
  text: 288,
  view: 1_641,
  'tests of view': 1_223,
}

/** The folders of each part. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  runtime: ['src', 'durable-objects'],
  'tests of the runtime': ['test'],
  scripts: ['scripts'],
  examples: ['examples'],
  bench: ['packages/bench'],
  ...Object.fromEntries(
    PACKAGES.flatMap((name) => [
      [name, [`packages/${name}/src`, `packages/${name}/page`]],
      [`tests of ${name}`, [`packages/${name}/test`]],
    ]),
  ),
}

function linesIn(folders: readonly string[]): number {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { cwd: ROOT, exclude: ['**/node_modules/**', '**/generated/**', 'test/upgrade/releases/**'] },
  )
  const lines = files.map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1)
  return lines.reduce((sum, count) => sum + count, 0)
}

describe('the lines of a part', () => {
  const counted = Object.entries(PARTS)
    .map(([part, folders]) => [part, linesIn(folders)] as const)
    .filter(([, lines]) => lines > 0)

  it('are recorded for every part', () => {
    expect(counted.map(([part]) => part).toSorted()).toEqual(Object.keys(RECORDED).toSorted())
  })

  it.each(counted)('are within 2 %% of what is recorded: %s', (part, lines) => {
    const recorded = RECORDED[part] ?? 0
    expect(lines).toBeLessThanOrEqual(Math.ceil(recorded * 1.02))
    expect(lines, 'record the smaller number').toBeGreaterThanOrEqual(Math.floor(recorded * 0.98))
  })
})

describe('the test command of the README', () => {
  it('runs no test of a package', () => {
    const run = [...manifest.scripts.test.matchAll(/--project (\S+)/g)].map(([, name]) => name)
    const ofPackages = globSync('packages/*/vitest.projects.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:in|with)\w+\(\s*'([\w-]+)'/g)].map(
        ([, name]) => name,
      ),
    )
    expect(ofPackages.length).toBeGreaterThan(PACKAGES.length)
    expect(run.filter((name) => ofPackages.includes(name))).toEqual([])
  })
})
