/**
 * `DELETE` ends a session.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import { namesModern } from '../../../transport/classify.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { methodNotAllowed, Refusal } from '../../../transport/refusal.ts'
import { emptyResponse } from '../../../transport/respond.ts'
import { findSession, sessionNotFound } from './find-session.ts'

/** @throws {Refusal} */
export async function handleDelete(exchange: Exchange): Promise<Response> {
  // The modern era has no sessions.
  if (namesModern(exchange.versionHeader)) throw methodNotAllowed('DELETE', 'POST, OPTIONS')
  const sessionId = exchange.request.headers.get('mcp-session-id')
  if (sessionId === null) {
    throw new Refusal('session-id-missing', 'DELETE must name its session in Mcp-Session-Id')
  }
  const { sessions, claims } = await findSession(exchange, sessionId, 'streamable-http')
  if (!(await sessions.terminate(claims))) throw sessionNotFound()
  return emptyResponse(204, exchange.extraHeaders)
}
