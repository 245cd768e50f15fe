/**
 * `events/stream`: the events of one subscription as they occur.
 *
 * The client ends it by closing the stream. The server ends it after its lifetime and when the log cannot be reached,
 * with the result of the request: the client then continues with its last cursor. It ends a subscription by
 * `notifications/events/terminated`.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */

import { formatCursor } from '../../../durable-objects/events/cursor.ts'
import type { EventLimits } from '../../../durable-objects/events/event-settings.ts'
import { resultBody, textOf } from '../../dispatch/response-text.ts'
import type { CancelReason } from '../../ports/cancel-reason.ts'
import type { EventObjects, LogPosition } from '../../ports/events.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { eventErrorObject, forbidden, unknownEvent } from '../../protocol/event-errors.ts'
import type { EventError } from '../../protocol/events.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { notificationText, type RequestMessage } from '../../protocol/json-rpc.ts'
import { MetaKey, metaOf, readModernMeta } from '../../protocol/meta.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { acceptsStream } from '../../transport/answer-form.ts'
import { onDisconnect } from '../../transport/disconnect.ts'
import type { DefinedExchange } from '../../transport/exchange.ts'
import { Refusal } from '../../transport/refusal.ts'
import { outcomeResponse, sseResponse } from '../../transport/respond.ts'
import { EVENTS, type Frames, recordedFrames } from '../../transport/sse/frames.ts'
import { ResponseStream } from '../../transport/sse/response-stream.ts'
import { watchAuthorization } from '../../transport/watch-authorization.ts'
import { type Admitted, admit, isSeen } from './admit.ts'
import { createCaller, type EventCaller, type EventServer } from './event-caller.ts'
import { readEventParams, startOf } from './event-params.ts'
import { failureOf, reportFailure } from './failure.ts'
import { type LogReader, openLogReader, type ReadOccurrences } from './log-reader.ts'
import { occurrenceFor } from './occurrence-for.ts'

export interface StreamServer extends EventServer {
  readonly limits: Pick<
    EventLimits,
    'heartbeatMs' | 'streamLifetimeMs' | 'streamsPerPrincipal' | 'upstreamsPerPrincipal'
  >
}

const NOTHING = new Uint8Array()

/** A stream of events has no comments: what keeps it alive is a heartbeat, in the intervals of every stream. */
function messagesOnly(exchange: DefinedExchange, heartbeat: () => string | undefined): Frames {
  const { message } = recordedFrames(EVENTS, exchange)
  return {
    message,
    opening: NOTHING,
    get keepAlive() {
      const text = heartbeat()
      return text === undefined ? NOTHING : message(text)
    },
  }
}

/** @throws {Refusal} for a client that accepts no stream */
export async function serveStream(
  server: StreamServer,
  objects: EventObjects,
  exchange: DefinedExchange,
  revision: Revision,
  message: RequestMessage,
): Promise<Response> {
  const { auth, grant, env, accepted, endpoint, request, extraHeaders } = exchange
  const { id, params } = message
  if (!acceptsStream(accepted)) {
    throw new Refusal('not-acceptable', 'Accept must list text/event-stream for events/stream', {
      id,
    })
  }
  const { clientCapabilities } = readModernMeta(metaOf(params))
  const { report } = endpoint
  const { headers } = request
  const rest = { env, objects, report }
  const asking = createCaller({ auth, grant, headers }, clientCapabilities, rest)
  const since = Date.now()
  try {
    const read = readEventParams(params)
    const admitted = await admit(server, asking, read, 'push')
    const reader = await openLogReader(asking, admitted, {
      start: startOf(admitted.type, read),
      limits: server.limits,
      maxWaiting: endpoint.limits.sendBufferBytes,
    })
    const subscriber = { asking, admitted, args: read.arguments, id, since }
    const stream = runStream(subscriber, reader, server.limits, exchange, revision)
    return sseResponse(stream.open(), extraHeaders)
  } catch (error) {
    const name = typeof params?.name === 'string' ? params.name : 'without a name'
    const failure = failureOf(error, `Event ${name}`, report)
    return outcomeResponse(exchange, revision, id, failure)
  }
}

/** Who reads a stream, and what. */
interface Subscriber {
  readonly asking: EventCaller
  readonly admitted: Admitted
  readonly args: JsonObject
  /** Of the request, by which the client knows the messages of the stream. */
  readonly id: RequestMessage['id']
  /** When the stream was asked for. */
  readonly since: number
}

/** Delivers what is read, until the client or the server ends the stream. */
function runStream(
  subscriber: Subscriber,
  reader: LogReader,
  { heartbeatMs, streamLifetimeMs }: StreamServer['limits'],
  exchange: DefinedExchange,
  revision: Revision,
): ResponseStream {
  const { endpoint, request } = exchange
  const { report, limits } = endpoint
  let isOver = false
  const onLost = (reason: CancelReason) => {
    report({ type: 'cancelled', method: 'events/stream', reason })
    close()
  }
  const heartbeat = () => {
    const position = reader.position()
    return (
      position && messageText(subscriber, 'heartbeat', { cursor: cursorOf(subscriber, position) })
    )
  }
  const stream = new ResponseStream(
    { ...limits, keepAliveMs: heartbeatMs },
    onLost,
    messagesOnly(exchange, heartbeat),
  )
  const close = () => {
    isOver = true
    stopWatching()
    clearTimeout(lifetime)
    reader.close()
  }
  const send = async (...texts: readonly string[]) => {
    if (texts.length > 0 && !isOver) await stream.sendTogether(texts)
  }
  const end = async () => {
    if (isOver) return
    close()
    const result = exchange.dispatcher.codecOf(revision).resultText(metaFor(subscriber))
    await stream.end(textOf(resultBody(subscriber.id, result)))
    exchange.recording?.streamEnded()
  }
  const terminate = async (reason: EventError) => {
    const error = eventErrorObject(reason, subscriber.asking.profile)
    await send(messageText(subscriber, 'terminated', { error }))
    await end()
  }
  const run = async () => {
    try {
      for await (const read of reader.pages()) {
        if (isOver) return
        const { confirms, truncated } = read
        if (confirms) await send(activeText(subscriber, confirms, truncated))
        const { texts, ending } = await messagesOf(subscriber, read)
        await send(...texts)
        if (ending === 'unknown') break
        if (ending !== undefined) return terminate(ending)
      }
    } catch (error) {
      report({ type: 'internal-error', error })
    }
    await end()
  }
  const stopWatching = watchAuthorization(exchange, (why) => {
    void (why === 'revoked' ? terminate(forbidden('Access revoked')) : end())
  })
  const lifetime = setTimeout(() => void end(), streamLifetimeMs)
  onDisconnect(request, () => {
    stream.abandon('client-disconnected')
    close()
  })
  void run()
  return stream
}

/**
 * The messages of what was read.
 *
 * @returns the reason when the server ends the subscription after them; `unknown` when it ends the stream, because access
 *   cannot be determined now: the client then continues with its last cursor, where nothing is lost
 */
async function messagesOf(
  subscriber: Subscriber,
  { occurrences, position: { log } }: ReadOccurrences,
): Promise<{ readonly texts: readonly string[]; readonly ending?: EventError | 'unknown' }> {
  const { asking, admitted, args, since } = subscriber
  const { type } = admitted
  const texts: string[] = []
  const fault = (reason: string) => {
    const error = { code: ErrorCode.internalError, message: 'UpstreamError', data: { reason } }
    texts.push(messageText(subscriber, 'error', { error }))
  }
  for (const occurrence of occurrences) {
    const { position, control, data, timestamp } = occurrence
    const ending = await refusalFor(subscriber)
    if (ending !== undefined) return { texts, ending }
    // What was said to the streams of an earlier time.
    if (control !== undefined && control !== 'gap' && Date.parse(timestamp) < since) continue
    if (control === 'terminated') return { texts, ending: JSON.parse(data) as EventError }
    if (control === 'error') {
      fault(String((JSON.parse(data) as JsonObject).reason))
      continue
    }
    try {
      const event = await occurrenceFor(type, asking, args, occurrence)
      const at = { log, position }
      if (event === 'gap') texts.push(activeText(subscriber, at, type.historyMs > 0))
      else if (event !== undefined) {
        const cursor = cursorOf(subscriber, at)
        texts.push(messageText(subscriber, 'event', { ...event, cursor }))
      }
    } catch (error) {
      fault(`An event could not be delivered (reference ${reported(subscriber, error)})`)
    }
  }
  return { texts }
}

/** Why the subscriber may have no more events; `unknown` when that cannot be determined now. */
async function refusalFor(subscriber: Subscriber): Promise<EventError | 'unknown' | undefined> {
  const { asking, admitted, args } = subscriber
  const auth = asking.caller?.auth
  if (!isSeen(admitted.type, auth, asking.report)) return unknownEvent
  try {
    const access = { auth, arguments: args, env: asking.env }
    if (await admitted.type.authorize(access, 'deliver')) return undefined
    return forbidden('Access revoked')
  } catch (error) {
    reported(subscriber, error)
    return 'unknown'
  }
}

/** Returns the reference of the report. */
function reported({ asking, admitted }: Subscriber, error: unknown): string {
  return reportFailure(error, `Event ${admitted.type.name}`, asking.report)
}

function cursorOf({ admitted }: Subscriber, position: LogPosition): string | null {
  return admitted.type.historyMs === 0 ? null : formatCursor(position)
}

function activeText(subscriber: Subscriber, position: LogPosition, truncated: boolean): string {
  return messageText(subscriber, 'active', { cursor: cursorOf(subscriber, position), truncated })
}

function messageText(subscriber: Subscriber, kind: string, params: JsonObject): string {
  return notificationText(`notifications/events/${kind}`, { ...params, ...metaFor(subscriber) })
}

function metaFor({ id }: Subscriber): JsonObject {
  return { _meta: { [MetaKey.subscriptionId]: id } }
}
