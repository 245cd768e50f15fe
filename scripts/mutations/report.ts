/** The tables of a run, and what it did not find. */
import { roomOf } from './choose.ts'
import { MUTANT_KINDS } from './mutants.ts'
import { type MutantResult, STAGES, type Stage } from './verdict.ts'

const COLUMNS: Readonly<Record<Stage, string>> = {
  types: 'by types',
  test: 'npm test',
  'test:long': 'test:long',
  against: 'old suite',
}

export function formatReport(results: readonly MutantResult[]): string {
  const rooms = [...new Set(results.map(({ file }) => roomOf(file)))].sort()
  const survivors = results.filter(({ foundBy }) => foundBy === undefined)
  const lost = results.filter(({ foundBy }) => foundBy === 'against')
  return [
    countsOf(results),
    table(
      'kind',
      MUTANT_KINDS.map((kind) => [kind, results.filter((result) => result.kind === kind)]),
    ),
    table(
      'room',
      rooms.map((room) => [room, results.filter(({ file }) => roomOf(file) === room)]),
    ),
    secondsOf(results),
    list('Only the old suite finds:', lost),
    list('Nothing finds:', survivors),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function countsOf(results: readonly MutantResult[]): string {
  const number = (...stages: readonly Stage[]) =>
    results.filter(({ foundBy }) => foundBy !== undefined && stages.includes(foundBy)).length
  return `${results.length} mutants: ${number('types', 'test')} found by npm test, ${number('test:long')} only by test:long, ${number('against')} only by the old suite, ${results.length - number(...STAGES)} by nothing.`
}

type Row = readonly [name: string, results: readonly MutantResult[]]

function table(title: string, rows: readonly Row[]): string {
  const all: Row = ['all', rows.flatMap(([, results]) => results)]
  const cells = [
    [title, 'mutants', ...STAGES.map((stage) => COLUMNS[stage]), 'survive'],
    ...[...rows, all].map(([name, results]) => [
      name,
      String(results.length),
      ...[...STAGES, undefined].map((stage) =>
        String(results.filter(({ foundBy }) => foundBy === stage).length),
      ),
    ]),
  ]
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

/** How long a mutant takes: the median and the longest of each stage. */
function secondsOf(results: readonly MutantResult[]): string {
  const lines = STAGES.flatMap((stage) => {
    const seconds = results
      .flatMap((result) => result.seconds[stage] ?? [])
      .toSorted((a, b) => a - b)
    const median = seconds[Math.floor(seconds.length / 2)]
    if (median === undefined) return []
    const total = seconds.reduce((a, b) => a + b, 0)
    return `${COLUMNS[stage]}: ${seconds.length} mutants, median ${median} s, longest ${seconds.at(-1)} s, together ${Math.round(total / 60)} min`
  })
  return lines.join('\n')
}

function list(title: string, results: readonly MutantResult[]): string {
  return results.length === 0 ? '' : [title, ...results.map(formatMutant)].join('\n')
}

/** A mutant as a difference, with what failed and did not count. */
export function formatMutant(result: MutantResult): string {
  const { id, file, line, kind, before, after, asked, ignored } = result
  const lines = (sign: string, text: string) =>
    text.split('\n').map((part) => `    ${sign} ${part}`)
  return [
    `  ${id}. ${file}:${line} (${kind}, the last that was asked: ${COLUMNS[asked]})`,
    ...lines('-', before),
    ...lines('+', after),
    ...ignored.map((text) => `    failed, and does not count: ${text.split('\n', 1)[0]}`),
  ].join('\n')
}
