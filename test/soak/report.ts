/** The summary of a soak, for people and as one line of JSON. */
import type { Ledger, Violation } from './ledger/ledger.ts'

export interface SoakReport {
  readonly seed: number
  readonly seconds: number
  readonly kills: number
  /** Median and maximum duration of a restart in milliseconds. */
  readonly restartMs: { readonly median: number; readonly max: number }
  /** Everything that was counted, by name. */
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
}

/** The first violations are printed. Later ones are most likely their consequences. */
const MAX_PRINTED = 20

export function createReport(
  seed: number,
  ledger: Ledger,
  restartsMs: readonly number[],
): SoakReport {
  const sorted = restartsMs.map(Math.round).sort((a, b) => a - b)
  return {
    seed,
    seconds: Math.round(ledger.elapsedMs / 1000),
    kills: ledger.countOf('kills'),
    restartMs: { median: sorted[Math.floor(sorted.length / 2)] ?? 0, max: sorted.at(-1) ?? 0 },
    counts: ledger.counts,
    violations: ledger.violations,
  }
}

/** One violation with the lines of its client. */
export function formatViolation({ kind, client, explanation, lines }: Violation, seed: number) {
  return [
    `${kind} at ${client} (seed ${seed}): ${explanation}`,
    ...lines.map((l) => `    ${l}`),
  ].join('\n')
}

export function formatReport(report: SoakReport): string {
  const { seed, seconds, kills, restartMs, counts, violations } = report
  const rows = Object.entries(counts).map(
    ([what, count]) => `  ${String(count).padStart(8)}  ${what}`,
  )
  return [
    ...violations.slice(0, MAX_PRINTED).map((violation) => formatViolation(violation, seed)),
    `seed ${seed}, ${seconds} s, ${kills} kills, restart ${restartMs.median} ms (median), ${restartMs.max} ms (longest)`,
    ...rows,
    violations.length === 0 ? 'No violations.' : `${violations.length} violations.`,
  ].join('\n')
}
