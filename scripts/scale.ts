/**
 * `npm run scale`: writes the tables of `docs/scale.md`. With flags, it prints them for other assumptions.
 * `--record FILE` records what a run of the benchmark or a report of `npm run stress -- event-load` has counted.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { endWithUsage, readFlags } from './support/read-flags.ts'
import { recorded, type ScaleCounts, scaleTables, withTables } from './support/scale-tables.ts'

const COUNTS = join(PROJECT_DIRECTORY, 'scripts/support/scale-counts.json')
const PAGE = join(PROJECT_DIRECTORY, 'docs/scale.md')

const counts: ScaleCounts = JSON.parse(readFileSync(COUNTS, 'utf8'))
const names = Object.keys(counts.assumptions)
const usage = `npm run scale -- [--record FILE] ${names.map((name) => `[--${name} N]`).join(' ')}`
const flags = ['record', ...names].map((name) => [name, { type: 'string' }] as const)
const { record, ...values } = readFlags(usage, Object.fromEntries(flags))
const changed = Object.entries(values).map(([name, value]) => [name, Number(value)] as const)
if (changed.some(([, value]) => !(value > 0))) endWithUsage('A flag is a number above 0', usage)

if (record !== undefined) {
  const results = JSON.parse(readFileSync(String(record), 'utf8'))
  writeFileSync(COUNTS, `${JSON.stringify(recorded(counts, results), null, 2)}\n`)
} else if (changed.length > 0) {
  const assumptions = { ...counts.assumptions, ...Object.fromEntries(changed) }
  process.stdout.write(`${scaleTables({ ...counts, assumptions }).needs}\n`)
} else {
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), scaleTables(counts)))
}
