/** The settings of the property suites: the number of runs, and the seed. */
import { env } from 'cloudflare:workers'
import type { Parameters } from 'fast-check'

/**
 * Returns the settings of one property. Each run has a random seed, which fast-check prints with the
 * counterexample. `EDGEWAY_SEED` repeats it.
 */
export function runs<Values>(numRuns: number): Parameters<Values> {
  const { EDGEWAY_SEED: seed = '' } = env
  if (seed === '') return { numRuns }
  if (!/^-?\d{1,10}$/.test(seed)) throw new TypeError('EDGEWAY_SEED must be an integer')
  return { numRuns, seed: Number(seed) }
}
