/** What a work must have before it can be asked: a session, tokens, or nothing. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../lanes/lane.ts'
import { openSession } from '../load/session.ts'
import { obtainTokens, type Tokens } from '../load/tokens.ts'

export interface Needs {
  /** Each connection has a session of its own, opened before every turn. */
  readonly needsSession?: true
  /** Each connection has tokens of its own, obtained before the run. */
  readonly needsTokens?: true
}

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

/** A new session, or new tokens, where they are needed. @throws {Error} when the server gives none */
export async function admit(needs: Needs, lane: Lane, url: string): Promise<Admission> {
  if (needs.needsTokens) return { ...NO_ADMISSION, ...(await obtainTokens(new URL(url).origin)) }
  if (needs.needsSession) return { ...NO_ADMISSION, sessionId: await sessionOf(lane, url) }
  return NO_ADMISSION
}

async function sessionOf(lane: Lane, url: string): Promise<string> {
  const sessionId = await openSession(url, lane.sessionRevision)
  if (sessionId !== undefined) return sessionId
  if (!lane.takesAnySessionId) throw new Error(`${lane.name} opens no session`)
  return randomUUID()
}
