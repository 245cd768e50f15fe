/** What the alarm of a session does: it continues runs, deletes what has expired, and finds when it is needed next. */
import { HEARTBEAT_MS, type SessionParts } from './session-parts.ts'

/** Shortest time to the next alarm, so that no error can wake the object in a loop. */
const MIN_SLEEP_MS = 500

export async function wakeSession(parts: SessionParts, now: number): Promise<void> {
  const { runs, tasks, client, presence, logs, subscriptions, entries, lifetime } = parts
  const { statements } = parts.storage
  runs.driver.recover()
  runs.driver.wake(now)
  runs.expire(now)
  tasks?.expire(now)
  tasks?.deliver()
  const { expiresAt } = client.claims
  const isLive = now < expiresAt
  // A session of 2024-11-05 whose stream is not opened again can be neither resumed nor called.
  const absentUntil = presence.absentUntil(now)
  const isResumable = isLive && (absentUntil === undefined || now < absentUntil)
  const isUsed = client.hasSettings || !subscriptions.isEmpty || !entries.isEmpty
  const hasSettings = isResumable && isUsed
  const due = [
    logs.deleteExpired(now, isResumable),
    isResumable ? absentUntil : undefined,
    subscriptions.deleteExpired(now),
    statements.deleteTaskAsksBefore(now),
    statements.nextWake(),
    runs.isIdle ? undefined : now + HEARTBEAT_MS,
    // A run that is under way when its session expires still gets its answer.
    isLive ? expiresAt : undefined,
  ].filter((at) => at !== undefined)
  const hasWork = statements.countRuns() > 0 || statements.countTaskAsks() > 0
  const isQuiet = logs.isEmpty && !hasWork
  if (!hasSettings && isQuiet) return lifetime.deleteUnused()
  const idleUntil = hasSettings ? presence.idleUntil(now) : undefined
  if (idleUntil !== undefined && now >= idleUntil && isQuiet) return lifetime.endUnused(expiresAt)
  // Work that is under way sets its own alarm, and the next one finds the session unused.
  if (idleUntil !== undefined && now < idleUntil) due.push(idleUntil)
  if (due.length > 0) lifetime.wakeAt(Math.max(Math.min(...due), now + MIN_SLEEP_MS))
}
