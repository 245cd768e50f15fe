/** A POST to the endpoint, from its headers to the era that serves it. */
import { parseMessage } from '../protocol/json-rpc.ts'
import { checkMediaType } from './body/media-type.ts'
import { readJson } from './body/read-json.ts'
import { classify } from './classify.ts'
import { allow, type Exchange } from './exchange.ts'
import { serveModern } from './modern/serve.ts'
import { Refusal } from './refusals.ts'
import { serveBatch } from './session/batch.ts'
import { serveWithoutSession } from './session/serve.ts'

/** @throws {Refusal} */
export async function handlePost(exchange: Exchange): Promise<Response> {
  const { request, endpoint } = exchange
  if (!checkMediaType(request.headers)) {
    allow(
      exchange,
      'content-type-missing',
      undefined,
      () => new Refusal('content-type-not-json', 'Content-Type must be application/json'),
    )
  }
  checkAccept(exchange)
  const body = await readJson(request, endpoint.limits)
  if (Array.isArray(body)) return serveBatch(exchange, body)
  const message = parseMessage(body)
  if (message.kind === 'invalid') {
    const name = message.fault === 'params' ? 'params-malformed' : 'message-malformed'
    throw new Refusal(name, message.reason, { id: message.id })
  }
  const classified = classify(message, exchange.versionHeader)
  if (classified.era === 'modern') return serveModern(exchange, message)
  const { leniency, revision } = classified
  if (leniency !== undefined) {
    const method = message.kind === 'response' ? undefined : message.method
    allow(
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
  allow(exchange, 'accept-incomplete', undefined, refuse)
}
