/**
 * `subscriptions/listen`: a stream that acknowledges its filter and then sends the changes that pass it.
 *
 * The client ends it by closing the stream. The server ends it after its lifetime, or when it loses
 * the connection to the hub, with the result of the request: the client then listens again.
 * The server sends no `notifications/cancelled`. The page on cancellation asks for one without naming
 * a transport, but the schema and the page on the transport restrict it to stdio, which has no stream
 * to close. A client that acts on it would also drop the result that reports the orderly end.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */

import { resultBody, textOf } from '../../dispatch/response-text.ts'
import { clientNetwork } from '../../platform/client-network.ts'
import type { Result } from '../../platform/result.ts'
import type { CancelReason } from '../../ports/cancel-reason.ts'
import type { ChangeBus, ChangeFeed, PublishedChange } from '../../ports/change-bus.ts'
import { CHANGES, type ChangeKind } from '../../ports/change-kinds.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { notificationText, type RequestId, type RequestMessage } from '../../protocol/json-rpc.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { acceptsStream } from '../../transport/answer-form.ts'
import { onDisconnect } from '../../transport/disconnect.ts'
import type { DefinedExchange } from '../../transport/exchange.ts'
import { Refusal } from '../../transport/refusal.ts'
import { outcomeResponse, sseResponse } from '../../transport/respond.ts'
import { EVENTS, recordedFrames } from '../../transport/sse/frames.ts'
import type { StreamDefinition } from '../../transport/stream-definition.ts'
import { watchAuthorization } from '../../transport/watch-authorization.ts'
import { HonouredFilter, readListenFilter } from './listen-filter.ts'
import { ListenOutbox } from './listen-outbox.ts'

export interface ListenSource {
  readonly bus: ChangeBus
  /** The kinds of change that the server declares. */
  readonly offered: readonly ChangeKind[]
  /** Observes the changes of each message of the hub, and says for each what the caller may receive. */
  readonly definition: Pick<StreamDefinition, 'mayRead' | 'mayAccessTask' | 'observe'>
  /** After this time the stream ends with its result. */
  readonly maxLifetimeMs: number
}

/** How long a client waits when the hub has reached its limit of listeners. */
const RETRY_AFTER_SECONDS = '30'

/**
 * @throws {Refusal} for a malformed filter, a client that accepts no stream, and too many listeners
 */
export async function serveListen(
  exchange: DefinedExchange,
  codec: Codec,
  message: RequestMessage,
  source: ListenSource,
): Promise<Response> {
  const { endpoint, request, accepted, auth, extraHeaders } = exchange
  const { id, method } = message
  const { report } = endpoint
  const { definition } = source
  if (!acceptsStream(accepted)) {
    const text = 'Accept must list text/event-stream, because a subscription is a stream'
    throw new Refusal('not-acceptable', text, { id })
  }
  const mayRead = guarded(definition, (error) => report({ type: 'internal-error', error }))
  const requested = readListenFilter(message)
  const tasks = await endpoint.extensions.listenedTasks?.(
    exchange,
    message,
    requested.taskIds,
    (task) => definition.mayAccessTask(task),
    Date.now() + source.maxLifetimeMs,
  )
  const filter = new HonouredFilter(requested, source.offered, mayRead, tasks?.names)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()

  const acknowledgement = notification(id, ACKNOWLEDGED, { notifications: filter.toWire() })
  const onLost = (reason: CancelReason) => {
    report({ type: 'cancelled', method, reason })
    end()
  }
  const frames = recordedFrames(EVENTS, exchange)
  const outbox = new ListenOutbox(acknowledgement, endpoint.limits, onLost, frames)
  const sendState = (task: string) => {
    const sent = tasks?.stateOf(task).then((state) => {
      if (state !== undefined) outbox.push(notification(id, CHANGES.task_updated.method, state))
    })
    sent?.catch((error) => report({ type: 'internal-error', error }))
  }
  const notificationsOf = ({ change }: PublishedChange): string[] => {
    const { method, uri, task } = filter.notificationFor(change) ?? {}
    if (task !== undefined) sendState(task)
    const isSent = method !== undefined && task === undefined && (uri === undefined || mayRead(uri))
    return isSent ? [notification(id, method, { ...(uri && { uri }) })] : []
  }

  let feed: Result<ChangeFeed>
  try {
    // Before the acknowledgement is sent, so that every change after it is delivered.
    feed = await source.bus.listen({
      kinds: filter.kinds,
      subject: auth?.subject,
      network: clientNetwork(exchange.request),
      onChanges: (changes) => {
        definition.observe(changes)
        outbox.pushChanges(changes.flatMap(notificationsOf))
      },
      onLost: (error) => {
        if (error !== undefined) report({ type: 'internal-error', error })
        end()
      },
    })
  } catch (error) {
    report({ type: 'internal-error', error })
    const internal = new ProtocolError(ErrorCode.internalError, 'Internal error')
    return outcomeResponse(exchange, codec.revision, id, internal)
  }
  if (!feed.ok) {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS }
    throw new Refusal('too-many-listeners', feed.error, { id, headers })
  }
  const { close } = feed.value
  const lifetime = setTimeout(end, source.maxLifetimeMs)
  const stopWatching = watchAuthorization(exchange, () => end())
  void ended.then(() => {
    clearTimeout(lifetime)
    stopWatching()
    close()
    const result = codec.resultText({ _meta: { [MetaKey.subscriptionId]: id } })
    outbox.finish(textOf(resultBody(id, result)))
    exchange.recording?.streamEnded()
  })
  const body = outbox.open()
  // What a task did before this stream began is sent first.
  for (const name of tasks?.names.keys() ?? []) sendState(name)
  onDisconnect(request, () => outbox.abandon('client-disconnected'))
  return sseResponse(body, extraHeaders)
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

function notification(id: RequestId, method: string, params: JsonObject): string {
  return notificationText(method, { _meta: { [MetaKey.subscriptionId]: id }, ...params })
}

/** When the author's function throws, the resource counts as unreadable and the stream continues. */
function guarded(
  definition: ListenSource['definition'],
  onError: (error: unknown) => void,
): (uri: string) => boolean {
  return (uri) => {
    try {
      return definition.mayRead(uri)
    } catch (error) {
      onError(error)
      return false
    }
  }
}
