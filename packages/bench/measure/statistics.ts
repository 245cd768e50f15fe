/** Medians and quartiles over rounds. */

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
}

/** @throws {Error} when there are no values */
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
 * Divides one series by another, round by round. Two turns of the same round ran under similar
 * load on the machine; the medians of two whole series may not have.
 */
export function ratioOf(values: readonly number[], base: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (base[round] ?? Number.NaN)))
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  if (low === undefined || high === undefined) throw new Error('There are no rounds')
  return low + (high - low) * (at - Math.floor(at))
}
