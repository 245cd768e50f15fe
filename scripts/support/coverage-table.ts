/** The coverage of branches as a table of directories, and the files that have too little. */
import { dirname, relative } from 'node:path'

interface Branches {
  readonly total: number
  readonly covered: number
}

/** The format of Istanbul's reporter `json-summary`: by absolute path, and `total`. */
export type CoverageSummary = Readonly<Record<string, { readonly branches: Branches }>>

/** Files with a lower share of covered branches are listed. */
const LISTED_BELOW = 0.9

export function formatCoverage(summary: CoverageSummary, root: string): string {
  const files = Object.entries(summary)
    .filter(([path]) => path !== 'total')
    .map(([path, { branches }]) => [relative(root, path), branches] as const)
    .sort(([a], [b]) => a.localeCompare(b))
  const directories = new Map<string, Branches>()
  for (const [path, { total, covered }] of files) {
    const sum = directories.get(dirname(path)) ?? { total: 0, covered: 0 }
    const added = { total: sum.total + total, covered: sum.covered + covered }
    directories.set(dirname(path), added)
  }
  const listed = files.filter(([, branches]) => shareOf(branches) < LISTED_BELOW)
  const all = [...directories.values()].reduce(
    (sum, { total, covered }) => ({ total: sum.total + total, covered: sum.covered + covered }),
    { total: 0, covered: 0 },
  )
  return [
    'Covered branches by directory:',
    ...[...directories].map(formatRow),
    formatRow(['all', all]),
    `Files below ${LISTED_BELOW * 100} %:${listed.length === 0 ? ' none' : ''}`,
    ...listed.map(formatRow),
  ].join('\n')
}

function formatRow([name, branches]: readonly [string, Branches]): string {
  const percent = (100 * shareOf(branches)).toFixed(1)
  const count = `${branches.covered}/${branches.total}`
  return `  ${percent.padStart(5)} %  ${count.padStart(9)}  ${name}`
}

/** A file without branches is covered. */
function shareOf({ total, covered }: Branches): number {
  return total === 0 ? 1 : covered / total
}
