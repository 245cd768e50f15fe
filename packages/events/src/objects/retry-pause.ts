/** The pause before an attempt is repeated. */

const LONGEST_MS = 60 * 60_000

/** Each pause is twice as long as the one before it, up to an hour. @param failures at least 1 */
export function retryPauseMs(firstMs: number, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), LONGEST_MS)
}
