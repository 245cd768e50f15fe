/** Registrations behind the fan-out, each at a position of its own: those that replay, and those whose principal failed. */

import { inParallel } from '../in-parallel.ts'
import { BATCH, MAX_CALLS } from './fan-out.ts'
import { type Accept, handOver, type Share, shareOf } from './hand-over.ts'
import { existingLog, type LogStorage, typeOf } from './log-storage.ts'
import { Matching } from './matching.ts'
import { type Range, readRange } from './read-log.ts'
import { dueRegistrations, positionBefore } from './statements.ts'

/** Registrations in one turn. */
const MAX_REGISTRATIONS = 1_000

/** Parts of the log that are in memory in one turn. */
const MAX_RANGES = 8

interface LateRange extends Range {
  readonly matching: Matching
}

/**
 * Hands over the next part of the log to each late registration that is due. One that has got everything is on time
 * again.
 */
export async function catchUp(
  storage: LogStorage,
  accept: Accept,
  onFault: (error: unknown) => void,
): Promise<undefined> {
  const open = existingLog(storage)
  const type = open && typeOf(storage, open.log)
  if (open === undefined || type === undefined) return
  const floor = positionBefore(open.sql)
  const ranges = new Map<number, LateRange>()
  const pages = new Map<string, Share[]>()
  for (const row of dueRegistrations(open.sql, storage.now, MAX_REGISTRATIONS)) {
    const isLost = row.position < floor
    const registration = isLost ? { ...row, position: floor, lost: 1 } : row
    const { position, principal } = registration
    const page = JSON.stringify([principal, position])
    const isNew = !ranges.has(position)
    if ((isNew && ranges.size >= MAX_RANGES) || (!pages.has(page) && pages.size >= MAX_CALLS))
      continue
    if (isNew) {
      const range = readRange(open, position, BATCH.occurrences, BATCH.length)
      ranges.set(position, { ...range, matching: new Matching(type) })
    }
    const { matching, ...range } = ranges.get(position) as LateRange
    const share = await shareOf(registration, range, position, matching, onFault)
    pages.set(page, [...(pages.get(page) ?? []), share])
  }
  await inParallel([...pages.values()], (shares) => handOver(storage, open, accept, shares))
}
