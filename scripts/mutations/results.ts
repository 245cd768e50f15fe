/** The results of a run, one JSON line for each mutant, so that a second start continues where the first ended. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Mutant } from './mutants.ts'
import type { MutantResult } from './verdict.ts'

/** Reads the results, the last of each mutant, by its id. A line that a killed process cut off is left out. */
export function readResults(path: string): ReadonlyMap<number, MutantResult> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const results = new Map<number, MutantResult>()
  for (const line of lines) {
    try {
      const result = JSON.parse(line) as MutantResult
      results.set(result.id, result)
    } catch {
      // Not a whole line.
    }
  }
  return results
}

export function appendResult(path: string, result: MutantResult): void {
  appendFileSync(path, `${JSON.stringify(result)}\n`)
}

/** The id of the first result that belongs to another mutant than the one chosen: the source has changed since. */
export function findStale(
  results: ReadonlyMap<number, MutantResult>,
  mutants: readonly Mutant[],
): number | undefined {
  const isStale = ({ id, file, start, before, after }: MutantResult) => {
    const mutant = mutants[id - 1]
    if (mutant === undefined) return false
    return (
      [mutant.file, mutant.start, mutant.before, mutant.after].join('\0') !==
      [file, start, before, after].join('\0')
    )
  }
  return [...results.values()].find(isStale)?.id
}
