/**
 * `events/stream`: the events of one subscription as they occur.
 *
 * The client ends it by closing the stream. The server ends it after its lifetime and when the log cannot be reached,
 * with the result of the request: the client then continues with its last cursor. It ends a subscription by
 * `notifications/events/terminated`.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */

import {
  acceptsStream,
  type DefinedExchange,
  EVENTS,
  type Frames,
  onDisconnect,
  outcomeResponse,
  Refusal,
  ResponseStream,
  recordedFrames,
  resultBody,
  sseResponse,
  textOf,
  watchAuthorization,
} from '../../../src/internal.ts'
import type { CancelReason } from '../../../src/ports/cancel-reason.ts'
import type { Codec } from '../../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../../src/protocol/error-codes.ts'
import { eventErrorObject, forbidden, unknownEvent } from '../../../src/protocol/event-errors.ts'
import type { EventError } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { notificationText, type RequestMessage } from '../../../src/protocol/json-rpc.ts'
import { MetaKey, metaOf, readModernMeta } from '../../../src/protocol/meta.ts'
import { type Admitted, admit, isSeen } from './admit.ts'
import { createCaller, type EventCaller, type EventServer } from './event-caller.ts'
import { readEventParams, startOf } from './event-params.ts'
import { failureOf, reportFailure } from './failure.ts'
import { LogReader, type ReadOccurrences } from './log-reader.ts'
import { formatCursor } from './objects/cursor.ts'
import type { EventObjects, LogPosition } from './objects/port.ts'
import { occurrenceFor } from './occurrence-for.ts'

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
  server: EventServer,
  objects: EventObjects,
  exchange: DefinedExchange,
  codec: Codec,
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
    const reader = await LogReader.open(asking, admitted, {
      start: startOf(admitted.type, read),
      limits: server.limits,
      maxWaiting: endpoint.limits.sendBufferBytes,
    })
    const context = { asking, admitted, args: read.arguments, id, since }
    const stream = runStream(context, reader, server.limits, exchange, codec)
    return sseResponse(stream.open(), extraHeaders)
  } catch (error) {
    const name = typeof params?.name === 'string' ? params.name : 'without a name'
    const failure = failureOf(error, `Event ${name}`, report)
    return outcomeResponse(exchange, codec.revision, id, failure)
  }
}

/** Who reads a stream, and what. */
interface StreamContext {
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
  context: StreamContext,
  reader: LogReader,
  { heartbeatMs, streamLifetimeMs }: EventServer['limits'],
  exchange: DefinedExchange,
  codec: Codec,
): ResponseStream {
  const { endpoint, request } = exchange
  const { report, limits } = endpoint
  let isOver = false
  const onLost = (reason: CancelReason) => {
    report({ type: 'cancelled', method: 'events/stream', reason })
    close()
  }
  const heartbeat = () => {
    const { position } = reader
    return position && messageText(context, 'heartbeat', { cursor: cursorOf(context, position) })
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
    const result = codec.resultText(metaFor(context))
    await stream.end(textOf(resultBody(context.id, result)))
    exchange.recording?.streamEnded()
  }
  const terminate = async (reason: EventError) => {
    const error = eventErrorObject(reason, context.asking.profile)
    await send(messageText(context, 'terminated', { error }))
    await end()
  }
  const run = async () => {
    try {
      for await (const read of reader.pages()) {
        if (isOver) return
        const { confirms, truncated } = read
        if (confirms) await send(activeText(context, confirms, truncated))
        const { texts, ending } = await messagesOf(context, read)
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
  context: StreamContext,
  { occurrences, position: { log } }: ReadOccurrences,
): Promise<{ readonly texts: readonly string[]; readonly ending?: EventError | 'unknown' }> {
  const { asking, admitted, args, since } = context
  const { type } = admitted
  const texts: string[] = []
  const fault = (reason: string) => {
    const error = { code: ErrorCode.internalError, message: 'UpstreamError', data: { reason } }
    texts.push(messageText(context, 'error', { error }))
  }
  for (const occurrence of occurrences) {
    const { position, control, data, timestamp } = occurrence
    const ending = await refusalFor(context)
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
      if (event === 'gap') texts.push(activeText(context, at, type.historyMs > 0))
      else if (event !== undefined) {
        const cursor = cursorOf(context, at)
        texts.push(messageText(context, 'event', { ...event, cursor }))
      }
    } catch (error) {
      fault(`An event could not be delivered (reference ${reported(context, error)})`)
    }
  }
  return { texts }
}

/** Why the caller may have no more events; `unknown` when that cannot be determined now. */
async function refusalFor(context: StreamContext): Promise<EventError | 'unknown' | undefined> {
  const { asking, admitted, args } = context
  const auth = asking.caller?.auth
  if (!isSeen(admitted.type, auth, asking.report)) return unknownEvent
  try {
    const access = { auth, arguments: args, env: asking.env }
    if (await admitted.type.authorize(access, 'deliver')) return undefined
    return forbidden('Access revoked')
  } catch (error) {
    reported(context, error)
    return 'unknown'
  }
}

/** Returns the reference of the report. */
function reported({ asking, admitted }: StreamContext, error: unknown): string {
  return reportFailure(error, `Event ${admitted.type.name}`, asking.report)
}

function cursorOf({ admitted }: StreamContext, position: LogPosition): string | null {
  return admitted.type.historyMs === 0 ? null : formatCursor(position)
}

function activeText(context: StreamContext, position: LogPosition, truncated: boolean): string {
  return messageText(context, 'active', { cursor: cursorOf(context, position), truncated })
}

function messageText(context: StreamContext, kind: string, params: JsonObject): string {
  return notificationText(`notifications/events/${kind}`, { ...params, ...metaFor(context) })
}

function metaFor({ id }: StreamContext): JsonObject {
  return { _meta: { [MetaKey.subscriptionId]: id } }
}
