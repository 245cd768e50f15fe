/**
 * `npm run scale`: writes the tables of `docs/scale.md`. With flags, it prints the tables for other
 * assumptions instead. `--record FILE` records the inputs that a run of the benchmark has measured, and
 * `--record-events FILE` those of a report of `npm run event-load`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import measured from './scale/measured.json' with { type: 'json' }
import { type Measured, record, recordEvents } from './scale/measured.ts'
import { SCALE_PAGE, scaleTables, withTables } from './scale/page.ts'
import { PARAMETERS, parseParameters } from './scale/parameters.ts'

const ROOT = new URL('../', import.meta.url)
const INPUTS = new URL('scale/measured.json', import.meta.url)

const [first, ...rest] = process.argv.slice(2)

try {
  if (first === '--record') writeInputs(record, rest[0] ?? 'bench/results/latest.json')
  else if (first === '--record-events' && rest[0]) writeInputs(recordEvents, rest[0])
  else if (first === undefined) writePage()
  else printTables([first, ...rest])
} catch (error) {
  const flags = Object.keys(PARAMETERS).map((name) => `[--${name} N]`)
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.stderr.write(
    `usage: npm run scale -- [--record FILE] [--record-events FILE] ${flags.join(' ')}\n`,
  )
  process.exitCode = 2
}

function writeInputs<T>(
  recordInto: (measured: Measured, results: T) => Measured,
  file: string,
): void {
  const results: T = JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'))
  writeFileSync(INPUTS, `${JSON.stringify(recordInto(measured, results), null, 2)}\n`)
}

function writePage(): void {
  const page = new URL(SCALE_PAGE, ROOT)
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), scaleTables(measured)))
}

function printTables(flags: readonly string[]): void {
  const tables = Object.entries(scaleTables(measured, parseParameters(flags)))
  process.stdout.write(tables.map(([name, text]) => `## ${name}\n\n${text}\n`).join('\n'))
}
