/** Obtains the session id or the tokens that the client of a scenario needs. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../lanes/lane.ts'
import { openSession } from '../load/session.ts'
import { obtainTokens, type Tokens } from '../load/tokens.ts'

export interface ClientNeeds {
  /** Each connection has a session of its own, opened before every turn. */
  readonly needsSession?: true
  /** Each connection has tokens of its own, obtained before the first turn. */
  readonly needsTokens?: true
}

/** A field that the scenario does not need is the empty string. */
export interface ClientState extends Tokens {
  readonly sessionId: string
}

export const EMPTY_CLIENT_STATE: ClientState = {
  sessionId: '',
  clientId: '',
  accessToken: '',
  refreshToken: '',
}

/** Opens a session or obtains tokens. @throws {Error} when the server issues none */
export async function prepareClient(
  { needsSession, needsTokens }: ClientNeeds,
  lane: Lane,
  url: string,
): Promise<ClientState> {
  if (needsTokens) return { ...EMPTY_CLIENT_STATE, ...(await obtainTokens(new URL(url).origin)) }
  if (needsSession) return { ...EMPTY_CLIENT_STATE, sessionId: await sessionIdFrom(lane, url) }
  return EMPTY_CLIENT_STATE
}

async function sessionIdFrom(lane: Lane, url: string): Promise<string> {
  const sessionId = await openSession(url, lane.sessionRevision)
  if (sessionId !== undefined) return sessionId
  if (!lane.acceptsAnySessionId) throw new Error(`${lane.name} issues no session id`)
  return randomUUID()
}
