/** The sessions that a work is asked on. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../lanes/lanes.ts'
import { openSession } from '../load/session.ts'
import type { Work } from './works.ts'

const NO_SESSION = ''

/** A new one for a work that needs it. @throws {Error} when the server opens none */
export async function sessionFor(work: Work, lane: Lane, url: string): Promise<string> {
  if (!work.needsSession) return NO_SESSION
  const sessionId = await openSession(url, lane.sessionRevision)
  if (sessionId !== undefined) return sessionId
  if (!lane.takesAnySessionId) throw new Error(`${lane.name} opens no session`)
  return randomUUID()
}
