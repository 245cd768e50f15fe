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
import type { ChangeBus, ChangeFeed, ChangeKind, PublishedChange } from '../../ports/change-bus.ts'
import type { TaskSnapshot } from '../../ports/tasks.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { notificationText, type RequestId, type RequestMessage } from '../../protocol/json-rpc.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { acceptsStream } from '../../transport/answer-form.ts'
import { onDisconnect } from '../../transport/disconnect.ts'
import type { DefinedExchange } from '../../transport/exchange.ts'
import { Refusal } from '../../transport/refusal.ts'
import { outcomeResponse, sseResponse } from '../../transport/respond.ts'
import { EVENTS, recordedFrames } from '../../transport/sse/frames.ts'
import { watchAuthorization } from '../../transport/watch-authorization.ts'
import { HonouredFilter, readListenFilter } from './listen-filter.ts'
import { ListenOutbox } from './listen-outbox.ts'

export interface ListenSource {
  readonly bus: ChangeBus
  /** The kinds of change that the server declares. */
  readonly offered: readonly ChangeKind[]
  /** Whether the caller may read a resource. Checked again for each of its changes. */
  readonly mayRead: (uri: string) => boolean
  /** Whether the caller may access a task of its principal. Checked again for each of its states. */
  readonly mayAccessTask: (task: TaskSnapshot) => boolean
  /** Called with the changes of each message of the hub, before they are sent. */
  readonly onChanges?: (changes: readonly PublishedChange[]) => void
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
  revision: Revision,
  message: RequestMessage,
  source: ListenSource,
): Promise<Response> {
  const { endpoint, request, accepted, auth, extraHeaders } = exchange
  const { id, method } = message
  const { report } = endpoint
  if (!acceptsStream(accepted)) {
    const text = 'Accept must list text/event-stream, because a subscription is a stream'
    throw new Refusal('not-acceptable', text, { id })
  }
  const mayRead = guarded(source.mayRead, (error) => report({ type: 'internal-error', error }))
  const requested = readListenFilter(message)
  const tasks = await endpoint.extensions.listenedTasks?.(
    exchange,
    message,
    requested.taskIds,
    source.mayAccessTask,
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
  const send = (name: string) => {
    const sent = tasks?.stateOf(name).then((state) => {
      if (state !== undefined) outbox.push(notification(id, TASK_CHANGED, state))
    })
    sent?.catch((error) => report({ type: 'internal-error', error }))
  }
  const notificationsOf = ({ change }: PublishedChange): string[] => {
    const task = filter.taskOf(change)
    if (task !== undefined) send(task)
    const { method, uri } = filter.notificationFor(change) ?? {}
    if (method === undefined || (uri !== undefined && !mayRead(uri))) return []
    return [notification(id, method, uri === undefined ? {} : { uri })]
  }

  let feed: Result<ChangeFeed>
  try {
    // Before the acknowledgement is sent, so that every change after it is delivered.
    feed = await source.bus.listen({
      kinds: filter.kinds,
      subject: auth?.subject,
      network: clientNetwork(exchange.request),
      onChanges: (changes) => {
        source.onChanges?.(changes)
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
    return outcomeResponse(exchange, revision, id, internal)
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
    const codec = exchange.dispatcher.codecOf(revision)
    const result = codec.resultText({ _meta: { [MetaKey.subscriptionId]: id } })
    outbox.finish(textOf(resultBody(id, result)))
    exchange.recording?.streamEnded()
  })
  const body = outbox.open()
  // What a task did before this stream began is sent first.
  for (const name of tasks?.names.keys() ?? []) send(name)
  onDisconnect(request, () => outbox.abandon('client-disconnected'))
  return sseResponse(body, extraHeaders)
}

const TASK_CHANGED = 'notifications/tasks'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

function notification(id: RequestId, method: string, params: JsonObject): string {
  return notificationText(method, { _meta: { [MetaKey.subscriptionId]: id }, ...params })
}

/** When the author's function throws, the resource counts as unreadable and the stream continues. */
function guarded(
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
