/** Deletes what has expired: occurrences, event ids, and a log that has been empty for long. */
import { existingLog, keepMs, type LogStorage, type OpenLog, SWEEP_MS } from './log-storage.ts'
import {
  deleteEventIds,
  deleteUpTo,
  hasAnyRows,
  hasRegistrations,
  lastPosition,
  nextExpiry,
  oldestNeed,
  positionBefore,
  saveLog,
} from './statements.ts'

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
  const { sql, log } = open
  const now = storage.now
  if (now < log.sweep_at) return log.sweep_at
  deleteExpired(storage, open, now)
  const expiry = nextExpiry(sql, keepMs(storage, log.type)) ?? now + QUIET_MS
  const next = Math.max(expiry, now + SWEEP_MS)
  const isQuiet = () => !isUsed() && !hasAnyRows(sql)
  if (log.is_quiet === 1 && isQuiet() && !storage.tables.isNewer) {
    await storage.state.blockConcurrencyWhile(async () => {
      if (isQuiet()) await storage.tables.drop()
    })
    storage.alarm.reset()
    return existingLog(storage)?.log.sweep_at
  }
  saveLog(sql, { sweep_at: next, is_quiet: Number(isQuiet()) })
  return next
}

function deleteExpired(storage: LogStorage, { sql, log }: OpenLog, now: number): void {
  const last = lastPosition(sql)
  const { occurrencesPerLog } = storage.limits
  deleteEventIds(sql, now, last - occurrencesPerLog)
  const unneeded = Math.min(
    positionBefore(sql, 0, now - keepMs(storage, log.type)),
    hasRegistrations(sql) ? log.handed : last,
    oldestNeed(sql, now - LATE_KEEP_MS) ?? last,
  )
  deleteUpTo(sql, unneeded)
}
