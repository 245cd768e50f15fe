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
import { clientNetwork } from '../../platform/client-network.ts'
import { MAX_TIMER_MS } from '../../platform/deadline.ts'
import type { EventObjects } from '../../ports/events.ts'
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
import { type EventParams, readEventParams, startOf } from './event-params.ts'
import { failureOf, reportFailure } from './failure.ts'
import { LogReader, type ReadOccurrences } from './log-reader.ts'
import { occurrenceFor } from './occurrence-for.ts'

export interface StreamServer extends EventServer {
  readonly limits: Pick<EventLimits, 'heartbeatMs' | 'streamsPerPrincipal'>
}

/** A stream of events has no comments: its heartbeats are messages. */
const MESSAGES_ONLY: Frames = { ...EVENTS, opening: new Uint8Array(), keepAlive: new Uint8Array() }

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
  const asking = createCaller({ auth, grant }, clientCapabilities, { env, objects, report })
  let stream: EventStream
  try {
    const read = readEventParams(params)
    const admitted = await admit(server, asking, read, 'push')
    const holder =
      auth === undefined ? `network ${clientNetwork(request) ?? ''}` : `subject ${auth.subject}`
    stream = new EventStream(exchange, revision, message, {
      server,
      asking,
      admitted,
      read,
      holder,
    })
    await stream.begin()
  } catch (error) {
    const failure = failureOf(error, `Event ${String(params?.name)}`, report)
    return outcomeResponse(exchange, revision, id, failure)
  }
  onDisconnect(request, () => stream.abandon())
  return sseResponse(stream.body, extraHeaders)
}

interface StreamOptions {
  readonly server: StreamServer
  readonly asking: EventCaller
  readonly admitted: Admitted
  readonly read: EventParams
  /** By whom streams are counted. */
  readonly holder: string
}

class EventStream {
  readonly #exchange: DefinedExchange
  readonly #revision: Revision
  readonly #message: RequestMessage
  readonly #options: StreamOptions
  readonly #stream: ResponseStream
  readonly #reader: LogReader
  readonly #meta: JsonObject
  #isOver = false
  #stopWatching: () => void = () => undefined
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(
    exchange: DefinedExchange,
    revision: Revision,
    message: RequestMessage,
    options: StreamOptions,
  ) {
    this.#exchange = exchange
    this.#revision = revision
    this.#message = message
    this.#options = options
    this.#meta = { _meta: { [MetaKey.subscriptionId]: message.id } }
    const { endpoint } = exchange
    const frames = recordedFrames(MESSAGES_ONLY, exchange)
    this.#stream = new ResponseStream(
      endpoint.limits,
      (reason) => {
        endpoint.report({ type: 'cancelled', method: message.method, reason })
        this.#close()
      },
      frames,
    )
    const { admitted, asking, holder } = options
    this.#reader = new LogReader(asking, admitted, holder, endpoint.limits.sendBufferBytes)
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#stream.open()
  }

  /**
   * Opens the feed, so that every event after the confirmation is delivered.
   *
   * @throws {ProtocolError} when the caller has too many streams
   */
  async begin(): Promise<void> {
    const { server, admitted, read } = this.#options
    await this.#reader.open(startOf(admitted.type, read), server.limits.streamsPerPrincipal)
    const { endpoint } = this.#exchange
    this.#stopWatching = watchAuthorization(this.#exchange, (why) => {
      if (why === 'revoked') void this.#terminate(forbidden('Access revoked'))
      else void this.#end()
    })
    const { heartbeatMs } = server.limits
    this.#timers = [
      setInterval(() => this.#heartbeat(), heartbeatMs) as never,
      setTimeout(() => void this.#end(), Math.min(endpoint.limits.listenLifetimeMs, MAX_TIMER_MS)),
    ]
    void this.#run()
  }

  /** The client has disconnected. */
  abandon(): void {
    this.#stream.abandon('client-disconnected')
    this.#close()
  }

  async #run(): Promise<void> {
    try {
      for await (const read of this.#reader.pages()) {
        if (this.#isOver) return
        await this.#deliver(read)
      }
    } catch (error) {
      this.#exchange.endpoint.report({ type: 'internal-error', error })
    }
    await this.#end()
  }

  async #deliver({ confirms, truncated, occurrences, position }: ReadOccurrences): Promise<void> {
    const { asking, admitted, read } = this.#options
    const { type } = admitted
    if (confirms) await this.#send('active', { cursor: this.#cursorOf(confirms), truncated })
    const texts: string[] = []
    for (const occurrence of occurrences) {
      const refusal = await this.#refusal()
      if (refusal !== undefined) {
        if (texts.length > 0) await this.#stream.sendTogether(texts)
        // The client continues with its last cursor, where nothing is lost.
        return refusal === 'unknown' ? this.#end() : this.#terminate(refusal)
      }
      const at = { log: position.log, position: occurrence.position }
      if (occurrence.control === 'terminated') {
        return this.#terminate(JSON.parse(occurrence.data) as EventError)
      }
      if (occurrence.control === 'error') {
        const { reason: text } = JSON.parse(occurrence.data) as JsonObject
        texts.push(this.#upstreamError(String(text)))
        continue
      }
      try {
        const event = await occurrenceFor(type, asking, read.arguments, occurrence)
        if (event === undefined) continue
        texts.push(
          event === 'gap'
            ? this.#text('active', { cursor: this.#cursorOf(at), truncated: type.historyMs > 0 })
            : this.#text('event', { ...event, cursor: this.#cursorOf(at) }),
        )
      } catch (error) {
        texts.push(this.#upstreamError(this.#reported(error)))
      }
    }
    if (texts.length > 0 && !this.#isOver) await this.#stream.sendTogether(texts)
  }

  /** Why the caller may have no more events; `unknown` when that cannot be determined now. */
  async #refusal(): Promise<EventError | 'unknown' | undefined> {
    const { asking, admitted, read } = this.#options
    const { type } = admitted
    const auth = asking.caller?.auth
    if (!isSeen(type, auth, asking.report)) return unknownEvent
    try {
      const access = { auth, arguments: read.arguments, env: asking.env }
      if (await type.authorize(access, 'deliver')) return undefined
      return forbidden('Access revoked')
    } catch (error) {
      this.#reported(error)
      return 'unknown'
    }
  }

  #heartbeat(): void {
    const { position } = this.#reader
    if (position === undefined || this.#isOver) return
    void this.#send('heartbeat', { cursor: this.#cursorOf(position) })
  }

  #upstreamError(reason: string): string {
    const error = { code: ErrorCode.internalError, message: 'UpstreamError', data: { reason } }
    return this.#text('error', { error })
  }

  #reported(error: unknown): string {
    const { asking, admitted } = this.#options
    const reference = reportFailure(error, `Event ${admitted.type.name}`, asking.report)
    return `An event could not be delivered (reference ${reference})`
  }

  async #terminate(reason: EventError): Promise<void> {
    const error = eventErrorObject(reason, this.#options.asking.profile)
    await this.#send('terminated', { error })
    await this.#end()
  }

  async #end(): Promise<void> {
    if (this.#isOver) return
    this.#close()
    const codec = this.#exchange.dispatcher.codecOf(this.#revision)
    const result = codec.resultText({ ...this.#meta })
    await this.#stream.end(textOf(resultBody(this.#message.id, result)))
    this.#exchange.recording?.streamEnded()
  }

  #close(): void {
    this.#isOver = true
    this.#stopWatching()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#reader.close()
  }

  #cursorOf(position: { readonly log: string; readonly position: number }): string | null {
    return this.#options.admitted.type.historyMs === 0 ? null : formatCursor(position)
  }

  #text(kind: string, params: JsonObject): string {
    return notificationText(`notifications/events/${kind}`, { ...params, ...this.#meta })
  }

  async #send(kind: string, params: JsonObject): Promise<void> {
    if (this.#isOver) return
    await this.#stream.sendTogether([this.#text(kind, params)])
  }
}
