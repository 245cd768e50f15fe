/**
 * `subscriptions/listen`: a stream that says what it will tell of, and tells of it until somebody
 * ends it.
 *
 * Here the client ends it by closing the stream. The server ends it, when it has lasted long enough
 * or its line to the hub is lost, with the result of the request: whoever reads it listens again.
 * It sends no `notifications/cancelled` in addition. The page on cancellation asks for one without
 * naming a transport, but the schema and the transport's own page keep that notification to stdio,
 * where there is no stream to close; and a client that honours it drops the result which says that
 * the end was an orderly one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */

import { resultBody, textOf } from '../../dispatch/response-text.ts'
import {
  type Change,
  type ChangeBus,
  ChangeBusFullError,
  type ChangeFeed,
  type ChangeKind,
} from '../../ports/change-bus.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { notificationText, type RequestId, type RequestMessage } from '../../protocol/json-rpc.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { onDisconnect } from '../disconnect.ts'
import type { Exchange } from '../exchange.ts'
import { MAX_TIMER_MS } from '../limits.ts'
import { Refusal } from '../refusals.ts'
import { protocolErrorResponse, sseResponse } from '../respond.ts'
import { watchCaller } from '../watch-caller.ts'
import { HonouredFilter, readListenFilter } from './listen-filter.ts'
import { ListenOutbox } from './listen-outbox.ts'

export interface ListenSource {
  readonly bus: ChangeBus
  /** The kinds of change that the server declares. */
  readonly offered: readonly ChangeKind[]
  /** Whether the caller may read a resource; asked again before each of its changes is told. */
  readonly mayRead: (uri: string) => boolean
  /** After this long the stream ends in an orderly way. */
  readonly maxLifetimeMs: number
}

/** How long a client that found no room should wait. */
const RETRY_AFTER_SECONDS = '30'

/** @throws {Refusal} for a filter that is wrong, a client that takes no stream, and one too many */
export async function serveListen(
  exchange: Exchange,
  revision: Revision,
  message: RequestMessage,
  source: ListenSource,
): Promise<Response> {
  const { endpoint, request, accepted, auth, extraHeaders } = exchange
  const { id, method } = message
  const { report } = endpoint
  if (!accepted.sseIfNeeded) {
    const text = 'A subscription is a stream: Accept must name text/event-stream'
    throw new Refusal('accepts-no-answer', text, { id })
  }
  const mayRead = quietly(source.mayRead, (error) => report({ type: 'internal-error', error }))
  const filter = new HonouredFilter(readListenFilter(message), source.offered, mayRead)
  const codec = endpoint.dispatcher.codec(revision)
  const { promise: over, resolve: end } = Promise.withResolvers<void>()

  const acknowledgement = tell(id, ACKNOWLEDGED, { notifications: filter.toWire() })
  const outbox = new ListenOutbox(acknowledgement, endpoint.limits, (reason) => {
    report({ type: 'cancelled', method, reason })
    end()
  })
  const onChange = (change: Change) => {
    const news = filter.notificationFor(change)
    if (news === undefined) return
    const { method, uri } = news
    if (uri === undefined) outbox.push(tell(id, method, {}))
    else if (mayRead(uri)) outbox.push(tell(id, method, { uri }))
  }

  let feed: ChangeFeed
  try {
    // Before the acknowledgement is sent, so that nothing is missed which happens after it.
    feed = await source.bus.listen({
      kinds: filter.kinds,
      subject: auth?.subject,
      onChange,
      onLost: end,
    })
  } catch (error) {
    if (error instanceof ChangeBusFullError) {
      const headers = { 'retry-after': RETRY_AFTER_SECONDS }
      throw new Refusal('too-many-listeners', error.message, { id, headers })
    }
    report({ type: 'internal-error', error })
    const internal = new ProtocolError(ErrorCode.internalError, 'Internal error')
    return protocolErrorResponse(exchange, id, internal, codec)
  }
  const lifetime = setTimeout(end, Math.min(source.maxLifetimeMs, MAX_TIMER_MS))
  const stopWatching = watchCaller(exchange, end)
  void over.then(() => {
    clearTimeout(lifetime)
    stopWatching()
    feed.close()
    const result = codec.resultText({ _meta: { [MetaKey.subscriptionId]: id } })
    outbox.finish(textOf(resultBody(id, result)))
  })
  const body = outbox.open()
  onDisconnect(request, () => outbox.abandon('client-gone'))
  return sseResponse(body, extraHeaders)
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

function tell(id: RequestId, method: string, params: JsonObject): string {
  return notificationText(method, { _meta: { [MetaKey.subscriptionId]: id }, ...params })
}

/** The author's own function may throw; then nobody hears of the resource, and the stream goes on. */
function quietly(
  mayRead: (uri: string) => boolean,
  onError: (error: unknown) => void,
): (uri: string) => boolean {
  return (uri) => {
    try {
      return mayRead(uri)
    } catch (error) {
      onError(error)
      return false
    }
  }
}
