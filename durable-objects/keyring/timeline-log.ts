/** The rows of the connection timeline: bounded in number, bytes and time. `src/features/timeline` reads their meaning. */
import { randomToken } from '../../src/platform/random-token.ts'
import type { StoredStep, TimelineSettings } from '../../src/ports/timeline.ts'
import { type Statements, TIMELINE_RETENTION_MS } from './schema.ts'

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

const KEY_BYTES = 32

export function settings(statements: Statements, create: boolean): TimelineSettings {
  const { timelineSetting, saveTimelineSetting } = statements
  const until = Number(timelineSetting('until') ?? 0)
  const key = timelineSetting('key')
  if (key !== undefined || !create) return { key, until }
  const created = randomToken(KEY_BYTES)
  saveTimelineSetting('key', created)
  return { key: created, until }
}

export function switchUntil(statements: Statements, until: number): void {
  if (until === 0) {
    statements.deleteTimelineSetting('until')
    return
  }
  settings(statements, true)
  statements.saveTimelineSetting('until', String(until))
}

/**
 * Stores steps. Beyond the limits of all origins, the steps of the one whose last step is the oldest are
 * deleted together, so that what is left can be understood.
 */
export function append(statements: Statements, steps: readonly StoredStep[], now: number): void {
  const origins = new Set<string>()
  for (const { at, origin, isCall, step } of steps.slice(0, MAX_BATCH)) {
    if (step.length > MAX_STEP_LENGTH) continue
    if (isCall && statements.countSteps(origin, 1) >= MAX_CALLS_PER_ORIGIN) continue
    const time = Math.min(at, now + MAX_CLOCK_SKEW_MS)
    statements.insertStep({ at: time, origin, is_call: isCall ? 1 : 0, step })
    origins.add(origin)
  }
  statements.deleteStepsBefore(now - TIMELINE_RETENTION_MS)
  for (const origin of origins) statements.deleteStepsBeyond(origin, MAX_STEPS_PER_ORIGIN)
  const total = statements.stepTotals()
  while (total.rows > MAX_STEPS || total.bytes > MAX_STEP_CHARACTERS) {
    const stalest = statements.stalestOrigin()
    if (stalest === undefined) break
    statements.deleteStepsOf(stalest.origin)
    total.rows -= stalest.rows
    total.bytes -= stalest.bytes
  }
}

/** Deletes what has expired: steps, the end of a recording, and without both the key. */
export function purge(statements: Statements, now: number): void {
  statements.deleteStepsBefore(now - TIMELINE_RETENTION_MS)
  const until = Number(statements.timelineSetting('until') ?? 0)
  if (until <= now) statements.deleteTimelineSetting('until')
  if (until <= now && statements.stepTotals().rows === 0) statements.deleteTimelineSetting('key')
}
