/**
 * Ends the runs of a stream whose caller has lost its access while the client was reading: each has an answer
 * that says so. The Worker that holds the stream notices it (`src/transport/watch-authorization.ts`).
 */
import type { StreamEvent } from '../../src/ports/sessions.ts'
import type { SessionParts } from './session-parts.ts'

/**
 * Checks the caller of each run of a stream, and ends those whose access has ended. A run of another grant of
 * the principal continues, and so does one whose caller cannot be checked now: its client may resume it.
 *
 * @returns what this has appended to the log of the stream
 */
export async function endRevokedRuns(
  { storage, logs, runs, callers, deployment }: SessionParts,
  stream: string,
): Promise<readonly StreamEvent[]> {
  const appended: StreamEvent[] = []
  for (const { id, caller } of storage.existing?.runsOn(stream) ?? []) {
    try {
      if ((await callers.renew(caller)) !== undefined) continue
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      continue
    }
    // The run as it is now: it may have moved during the check. No await from here on.
    const run = runs.driver.find(id)
    if (run === undefined) continue
    const last = logs.lastOf(stream)
    const hadHandler = run.state.name === 'running'
    if (!runs.driver.apply(run, { type: 'renew', isAuthorized: false })) continue
    appended.push(...logs.eventsAfter(stream, last))
    // A handler that is aborted reports it itself.
    const { method } = run.request
    if (!hadHandler) deployment.report({ type: 'cancelled', method, reason: 'access-revoked' })
  }
  return appended
}
