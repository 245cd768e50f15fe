/**
 * DELETE: the client is done with its session.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import type { Exchange } from '../exchange.ts'
import { noContentResponse } from '../respond.ts'
import { findSession, sessionNotFound } from './find-session.ts'

/** @throws {Refusal} `session-not-found`, for one that has ended already too */
export async function handleDelete(exchange: Exchange, sessionId: string): Promise<Response> {
  const { sessions, claims } = await findSession(exchange, sessionId, 'streamable-http')
  if (!(await sessions.terminate(claims))) throw sessionNotFound()
  return noContentResponse(exchange.extraHeaders)
}
