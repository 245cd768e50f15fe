/**
 * When deliveries to a callback stop until the client refreshes: after more than 95 % failures over an hour with at least
 * 100 attempts. Attempts are counted in slots of five minutes.
 */

/** `[slot, attempts, failures]`, oldest first. */
export type Outcomes = readonly (readonly [number, number, number])[]

const SLOT_MS = 5 * 60_000
const SLOTS = 12
const MIN_ATTEMPTS = 100
const MAX_FAILED = 0.95

/** Adds an attempt, and drops those of more than an hour ago. */
export function countAttempt(outcomes: Outcomes, now: number, hasFailed: boolean): Outcomes {
  const slot = Math.floor(now / SLOT_MS)
  const recent = outcomes.filter(([at]) => at > slot - SLOTS)
  const [, attempts, failures] = recent.find(([at]) => at === slot) ?? [slot, 0, 0]
  return [
    ...recent.filter(([at]) => at !== slot),
    [slot, attempts + 1, failures + Number(hasFailed)],
  ]
}

/** @param outcomes as {@link countAttempt} returns them */
export function isSuspended(outcomes: Outcomes): boolean {
  let attempts = 0
  let failures = 0
  for (const [, ofSlot, failed] of outcomes) {
    attempts += ofSlot
    failures += failed
  }
  return attempts >= MIN_ATTEMPTS && failures > attempts * MAX_FAILED
}
