/** A POST to the endpoint, from its headers to the era that serves it. */
import { type Message, parseMessage } from '../protocol/json-rpc.ts'
import { claimedVersion } from '../protocol/meta.ts'
import { checkMediaType } from './body/media-type.ts'
import { readJson } from './body/read-json.ts'
import { classify } from './classify.ts'
import { allowLeniency, type Exchange } from './exchange.ts'
import { serveModern } from './modern/serve.ts'
import { Refusal } from './refusals.ts'
import { serveBatch } from './session/batch.ts'
import { findSession } from './session/find-session.ts'
import { serveInSession } from './session/in-session.ts'
import { serveWithoutSession } from './session/without-session.ts'

/** @throws {Refusal} */
export async function handlePost(exchange: Exchange): Promise<Response> {
  const { request } = exchange
  if (!checkMediaType(request.headers)) {
    allowLeniency(
      exchange,
      'content-type-missing',
      undefined,
      () => new Refusal('content-type-not-json', 'Content-Type must be application/json'),
    )
  }
  checkAccept(exchange)
  const body = await readJson(exchange)
  if (Array.isArray(body)) return serveBatch(exchange, body)
  const message = parseMessage(body)
  if (message.kind === 'invalid') {
    const name = message.fault === 'params' ? 'params-malformed' : 'message-malformed'
    throw new Refusal(name, message.reason, { id: message.id })
  }
  const classified = classify(message, exchange.versionHeader)
  if (classified.era === 'modern' && claimsModern(message)) return serveModern(exchange, message)
  const sessionId = sessionIdOf(exchange, message)
  if (sessionId !== undefined) {
    const requestId = message.kind === 'notification' ? undefined : message.id
    const session = await findSession(exchange, sessionId, 'streamable-http', requestId)
    return serveInSession(exchange, session, [message], false)
  }
  if (classified.era === 'modern') return serveModern(exchange, message)
  const { leniency, revision } = classified
  if (leniency !== undefined) {
    const method = message.kind === 'response' ? undefined : message.method
    allowLeniency(
      exchange,
      leniency,
      method,
      () =>
        new Refusal(
          'message-malformed',
          'MCP-Protocol-Version does not name a version served here',
          {
            id: message.kind === 'notification' ? undefined : message.id,
          },
        ),
    )
  }
  return serveWithoutSession(exchange, revision, message)
}

/** Only a client that rules out both forms of an answer cannot be served. */
function checkAccept(exchange: Exchange): void {
  const { json, sse, complete } = exchange.accepted
  if (complete) return
  const refuse = () =>
    new Refusal('accepts-no-answer', 'Accept must list application/json and text/event-stream')
  if (!json && !sse) throw refuse()
  allowLeniency(exchange, 'accept-incomplete', undefined, refuse)
}

function claimsModern(message: Message): boolean {
  return message.kind !== 'response' && claimedVersion(message.params) !== undefined
}

/**
 * The session that a message names. It proves a handshake, whatever the version header says. A new
 * handshake begins a new session, and the name of the old one is of no consequence.
 */
function sessionIdOf(exchange: Exchange, message: Message): string | undefined {
  const id = exchange.request.headers.get('mcp-session-id')
  if (id === null || exchange.services.sessions() === undefined) return undefined
  const reopens = message.kind === 'request' && message.method === 'initialize'
  return reopens ? undefined : id
}
