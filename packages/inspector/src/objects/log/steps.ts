/** The rows of the connection timeline: bounded in number, characters and time. `packages/inspector/src/timeline` reads their meaning. */
import { randomToken } from '../../../../../src/platform/random-token.ts'
import type { StoredStep, TimelineSettings } from './port.ts'
import type { Statements } from './schema.ts'

/** How long a step is stored. */
export const TIMELINE_RETENTION_MS = 6 * 60 * 60 * 1000

/** Steps of all origins. */
export const MAX_STEPS = 4_000

/** JSON of all steps, in UTF-16 code units. */
export const MAX_STEP_CHARACTERS = 4 * 1024 * 1024

/** Steps of one origin: the oldest are deleted. */
export const MAX_STEPS_PER_ORIGIN = 200

/** Successful calls of one origin: later ones are not stored. */
export const MAX_CALLS_PER_ORIGIN = 40

/** JSON of one step, in UTF-16 code units. */
const MAX_STEP_LENGTH = 8_192

/** One call stores at most this many steps. */
const MAX_BATCH = 200

/** A step cannot be dated later than this: clocks of isolates differ by little. */
const MAX_CLOCK_SKEW_MS = 60_000

export function settings(statements: Statements, create: boolean): TimelineSettings {
  const { setting, saveSetting } = statements
  if (create && setting('key') === undefined) saveSetting('key', randomToken())
  return { key: setting('key'), until: Number(setting('until') ?? 0) }
}

export function switchUntil(statements: Statements, until: number): void {
  if (until === 0) return void statements.deleteSetting('until')
  settings(statements, true)
  statements.saveSetting('until', String(until))
}

/**
 * Stores steps. Beyond the limits of all origins, the steps of the one whose last step is the oldest are
 * deleted together, so that what is left can be understood.
 */
export function append(statements: Statements, steps: readonly StoredStep[], now: number): void {
  const origins = new Set<string>()
  for (const { at, origin, isCall, step } of steps.slice(0, MAX_BATCH)) {
    if (step.length > MAX_STEP_LENGTH) continue
    if (isCall && statements.countCalls(origin) >= MAX_CALLS_PER_ORIGIN) continue
    const time = Math.min(at, now + MAX_CLOCK_SKEW_MS)
    statements.insertEntry({
      at: time,
      expires_at: time + TIMELINE_RETENTION_MS,
      origin,
      is_call: Number(isCall),
      owner: null,
      entry: step,
    })
    origins.add(origin)
  }
  statements.deleteExpired(now)
  for (const origin of origins) statements.deleteStepsBeyond(origin, MAX_STEPS_PER_ORIGIN)
  const total = statements.totals()
  while (total.rows > MAX_STEPS || total.characters > MAX_STEP_CHARACTERS) {
    const stalest = statements.stalestOrigin()
    if (stalest === undefined) break
    statements.deleteStepsOf(stalest.origin)
    total.rows -= stalest.rows
    total.characters -= stalest.characters
  }
}

/** Deletes what has expired: rows, the end of a recording, and without both the key. */
export function purge(statements: Statements, now: number): void {
  statements.deleteExpired(now)
  const until = Number(statements.setting('until') ?? 0)
  if (until > now) return
  statements.deleteSetting('until')
  if (statements.totals().rows === 0) statements.deleteSetting('key')
}
