/** Medians, and how far around them the rounds lie. */

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
}

/** @throws {Error} when there is nothing to sum up */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  }
}

/**
 * One series over another, round by round. Two neighbours in a round had the same machine; two
 * medians of whole runs may not have had.
 */
export function ratioOf(values: readonly number[], base: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (base[round] ?? Number.NaN)))
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  if (low === undefined || high === undefined) throw new Error('No rounds')
  return low + (high - low) * (at - Math.floor(at))
}
