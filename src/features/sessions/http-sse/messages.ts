/**
 * `POST /messages` accepts one message of the 2024-11-05 transport. Its response arrives on the
 * session's stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import { checkMediaType } from '../../../transport/body/media-type.ts'
import { readJson } from '../../../transport/body/read-json.ts'
import { declaredRevision } from '../../../transport/classify.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { idOf, readMessage } from '../../../transport/message.ts'
import { Refusal } from '../../../transport/refusal.ts'
import { emptyResponse } from '../../../transport/respond.ts'
import { type FoundSession, findSession } from '../transport/find-session.ts'
import { deliver } from '../transport/in-session.ts'

/** @throws {Refusal} */
export async function handleMessage(exchange: Exchange): Promise<Response> {
  const sessionId = new URL(exchange.request.url).searchParams.get('sessionId')
  if (sessionId === null) {
    const text = 'POST to the URL that the endpoint event of the stream has named'
    throw new Refusal('session-id-missing', text)
  }
  checkMediaType(exchange)
  const body = await readJson(exchange)
  const message = readMessage(body)
  if (message instanceof Refusal) throw message
  exchange.recording?.received(body, message)
  const found = await findSession(exchange, sessionId, 'http-sse', idOf(message))
  await deliver(exchange, withDeclaredRevision(exchange, found), [message], 'sse')
  return emptyResponse(202, exchange.extraHeaders)
}

/**
 * Takes the revision of a session without handshake from the version header. Some clients lose their
 * last event id with the connection, and continue in a new session without sending `initialize` again.
 */
function withDeclaredRevision({ versionHeader }: Exchange, session: FoundSession): FoundSession {
  const revision = declaredRevision(versionHeader)
  if (revision === undefined) return session
  return { ...session, claims: { ...session.claims, revision: revision.id } }
}
