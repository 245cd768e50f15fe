/**
 * `POST /messages`, the other half of the 2024-11-05 transport: a message is taken, and whatever it
 * brings about comes on the stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import { parseMessage } from '../../protocol/json-rpc.ts'
import { findRevision } from '../../protocol/revisions.ts'
import { checkMediaType } from '../body/media-type.ts'
import { readJson } from '../body/read-json.ts'
import { allowLeniency, type Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { acceptedResponse } from '../respond.ts'
import { type FoundSession, findSession, sessionNotFound } from '../session/find-session.ts'
import { deliver, refusedBySession } from '../session/in-session.ts'

/** @throws {Refusal} */
export async function handleMessage(exchange: Exchange): Promise<Response> {
  const { request, extraHeaders } = exchange
  if (request.method !== 'POST') {
    const text = `${request.method} is not served here`
    throw new Refusal('http-method-not-allowed', text, { headers: { allow: 'POST, OPTIONS' } })
  }
  const sessionId = new URL(request.url).searchParams.get('sessionId')
  if (sessionId === null) {
    throw new Refusal('session-id-required', 'POST to the address that the stream has named')
  }
  if (!checkMediaType(request.headers)) {
    const text = 'Content-Type must be application/json'
    allowLeniency(exchange, 'content-type-missing', undefined, () => {
      return new Refusal('content-type-not-json', text)
    })
  }
  const message = parseMessage(await readJson(exchange))
  if (message.kind === 'invalid') {
    const name = message.fault === 'params' ? 'params-malformed' : 'message-malformed'
    throw new Refusal(name, message.reason, { id: message.id })
  }
  const id = message.kind === 'notification' ? undefined : message.id
  const found = await findSession(exchange, sessionId, 'http-sse', id)
  const reply = await deliver(exchange, withVersion(exchange, found), [message], 'sse')
  // Everything comes on the stream.
  if (typeof reply === 'string' || reply instanceof Uint8Array)
    return acceptedResponse(extraHeaders)
  if (reply.kind === 'gone') throw sessionNotFound(id)
  if (reply.kind === 'refused') throw refusedBySession(reply.why, id)
  if (reply.kind === 'accepted' && reply.unexpected > 0) {
    allowLeniency(exchange, 'response-to-nothing', undefined, () => {
      return new Refusal('response-not-expected', 'This was not asked', { id })
    })
  }
  return acceptedResponse(extraHeaders)
}

/**
 * What a session speaks that was never introduced. The clients in use lose their last event id with
 * their connection, and go on in a new session as if it were the old one; the version header is all
 * that they bring along.
 */
function withVersion({ versionHeader }: Exchange, session: FoundSession): FoundSession {
  const named = versionHeader === null ? undefined : findRevision(versionHeader)
  if (named === undefined || named.era === 'modern') return session
  return { ...session, claims: { ...session.claims, revision: named.id } }
}
