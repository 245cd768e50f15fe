/** Deletes what has expired: occurrences, event ids, and a log that has been empty for long. */
import { type LogStorage, type OpenLog, SWEEP_MS } from './log-storage.ts'

/** So long, an object that cannot be reached keeps occurrences from being deleted. */
const LATE_KEEP_MS = 24 * 60 * 60_000

/** How long a log without rows keeps its name: until then, a position of it is known. */
const QUIET_MS = 30 * 24 * 60 * 60_000

/**
 * Returns when to sweep again; undefined when nothing is stored any more.
 *
 * @param isUsed whether a stream is open
 */
export async function sweep(
  storage: LogStorage,
  open: OpenLog,
  isUsed: () => boolean,
): Promise<number | undefined> {
  const { statements, log } = open
  const now = storage.context.now()
  if (now < log.sweep_at) return log.sweep_at
  deleteExpired(storage, open, now)
  const nextExpiry = expiryOf(storage, open)
  const next = Math.max(nextExpiry ?? now + QUIET_MS, now + SWEEP_MS)
  const isQuiet = () => !isUsed() && !statements.hasRows()
  if (log.is_quiet === 1 && isQuiet() && !storage.tables.isNewer) {
    await storage.context.state.blockConcurrencyWhile(async () => {
      if (isQuiet()) await storage.tables.drop()
    })
    storage.alarm.reset()
    return storage.existing?.log.sweep_at
  }
  statements.saveSweep(next, isQuiet())
  return next
}

function deleteExpired(storage: LogStorage, { statements, log }: OpenLog, now: number): void {
  const last = statements.lastPosition()
  const { occurrencesPerLog } = storage.context.host.settings.limits
  statements.deleteEventIds(now, last - occurrencesPerLog)
  const unexpired = statements.firstSince(0, now - storage.keepMs(log.type)) ?? last + 1
  const needed = [
    statements.hasSubscriptions() ? log.handed : last,
    statements.oldestNeed(now - LATE_KEEP_MS) ?? last,
  ]
  statements.deleteUpTo(Math.min(unexpired - 1, ...needed))
}

/** When the oldest row expires; undefined without rows. */
function expiryOf(storage: LogStorage, { statements, log }: OpenLog): number | undefined {
  const oldest = statements.oldestPosition()
  const emittedAt = oldest === undefined ? undefined : statements.emittedAt(oldest)
  const occurrence = emittedAt && emittedAt + storage.keepMs(log.type)
  const eventId = statements.earliestEventId()
  return occurrence && eventId ? Math.min(occurrence, eventId) : (occurrence ?? eventId)
}
