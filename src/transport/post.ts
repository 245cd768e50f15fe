/** `POST` at the endpoint: checks headers, reads the body, and serves it on the route of `classify.ts`. */
import type { EndpointLeniency } from '../ports/telemetry.ts'
import type { Message } from '../protocol/json-rpc.ts'
import { checkMediaType } from './body/media-type.ts'
import { readJson } from './body/read-json.ts'
import { classify } from './classify.ts'
import { defineExchange } from './define-exchange.ts'
import type { Exchange } from './exchange.ts'
import type { SessionTransport } from './extensions.ts'
import { allowLeniency } from './leniency.ts'
import { idOf, methodOf, readMessage } from './message.ts'
import { modernNotServed, serveModern, sessionsNotServed } from './modern/serve.ts'
import { batchNotAllowed, Refusal } from './refusal.ts'
import { serveWithoutSession } from './without-session.ts'

/** @throws {Refusal} */
export async function handlePost(exchange: Exchange): Promise<Response> {
  checkMediaType(exchange)
  checkAccept(exchange)
  const body = await readJson(exchange)
  exchange.endpoint.extensions.adoptQuery?.(exchange.request.url, body)
  const read = Array.isArray(body) ? body : readMessage(body)
  if (read instanceof Refusal) throw read
  exchange.recording?.received(body, Array.isArray(read) ? undefined : read)
  const { sessions, sessionsOnly } = exchange.endpoint.extensions
  const route = classify(read, exchange)
  if (exchange.endpoint.modernOnly && route.kind !== 'modern') {
    const message = 'message' in route ? route.message : undefined
    throw sessionsNotServed(exchange.versionHeader, message)
  }
  switch (route.kind) {
    case 'modern': {
      const { message, leniencies } = route
      if (sessionsOnly) throw modernNotServed(message)
      allowLeniencies(exchange, leniencies, message)
      const defined = defineExchange(exchange, idOf(message))
      return serveModern(defined instanceof Promise ? await defined : defined, message)
    }
    case 'in-session':
      return bound(sessions).serve(exchange, route.sessionId, route.message)
    case 'without-session':
      allowLeniencies(exchange, route.leniencies, route.message)
      return serveWithoutSession(exchange, route.revision, route.message)
    case 'batch-in-session':
      return bound(sessions).serveBatch(exchange, route.sessionId, undefined, route.items)
    case 'batch-without-session':
      if (sessions === undefined) throw batchNotAllowed()
      return sessions.serveBatch(exchange, undefined, route.revision, route.items)
  }
}

/** Only a server with sessions has routes of sessions. */
function bound(sessions: SessionTransport | undefined): SessionTransport {
  if (sessions === undefined) throw new TypeError('A session needs sessions()')
  return sessions
}

/** A client that excludes both forms of an answer cannot be served. */
function checkAccept(exchange: Exchange): void {
  const { json, sse, complete } = exchange.accepted
  if (complete) return
  if (!json && !sse) {
    throw new Refusal('not-acceptable', 'Accept must list application/json and text/event-stream')
  }
  allowLeniency(exchange, 'accept-incomplete')
}

function allowLeniencies(
  exchange: Exchange,
  leniencies: readonly EndpointLeniency[],
  message: Message,
): void {
  for (const name of leniencies) allowLeniency(exchange, name, methodOf(message), idOf(message))
}
