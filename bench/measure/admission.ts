/** What a work must have before it can be asked: a session, tokens, or nothing. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../lanes/lanes.ts'
import { openSession } from '../load/session.ts'
import { obtainTokens, type Tokens } from '../load/tokens.ts'
import type { Work } from './works.ts'

/** What a work does not need is empty. */
export interface Admission extends Tokens {
  readonly sessionId: string
}

export const NO_ADMISSION: Admission = {
  sessionId: '',
  clientId: '',
  accessToken: '',
  refreshToken: '',
}

/** A new session, or new tokens, for a work that needs them. @throws {Error} when the server gives none */
export async function admit(work: Work, lane: Lane, url: string): Promise<Admission> {
  if (work.needsTokens) return { ...NO_ADMISSION, ...(await obtainTokens(new URL(url).origin)) }
  if (work.needsSession) return { ...NO_ADMISSION, sessionId: await sessionOf(lane, url) }
  return NO_ADMISSION
}

async function sessionOf(lane: Lane, url: string): Promise<string> {
  const sessionId = await openSession(url, lane.sessionRevision)
  if (sessionId !== undefined) return sessionId
  if (!lane.takesAnySessionId) throw new Error(`${lane.name} opens no session`)
  return randomUUID()
}
