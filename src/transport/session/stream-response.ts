/** Answers with a stream of a session: its opening event, and then the events of its log. */
import type { ChangePosition } from '../../ports/change-bus.ts'
import type { StreamKind, StreamReader, StreamReadRequest } from '../../ports/sessions.ts'
import { onDisconnect } from '../disconnect.ts'
import type { Exchange } from '../exchange.ts'
import { MAX_TIMER_MS } from '../limits.ts'
import { sseResponse } from '../respond.ts'
import { primingEvent } from '../sse/event.ts'
import { ResponseStream } from '../sse/response-stream.ts'
import { watchAuthorization } from '../watch-authorization.ts'
import type { ChangeForwarder } from './change-forwarder.ts'
import { createEventIds } from './event-id.ts'
import type { FoundSession } from './find-session.ts'
import { followStream } from './follow-stream.ts'

export interface StreamStart {
  readonly kind: StreamKind
  /** The last event that the client has received; 0 for none. */
  readonly after: number
  readonly since: ChangePosition | undefined
  /** A reader that is already open, and the forwarder of its changes. */
  readonly reader: StreamReader | undefined
  readonly forwarder: ChangeForwarder | undefined
  /** The first event. Default: the priming event, if the revision has one. */
  readonly opening: Uint8Array | undefined
}

const ANSWER_START: StreamStart = {
  kind: 'answer',
  after: 0,
  since: undefined,
  reader: undefined,
  forwarder: undefined,
  opening: undefined,
}

export async function streamResponse(
  exchange: Exchange,
  session: FoundSession,
  stream: string,
  start: StreamStart = ANSWER_START,
): Promise<Response> {
  const { endpoint, extraHeaders } = exchange
  const { claims, revision, sealer, sessions, context } = session
  const { kind, after, since, forwarder } = start
  const observer = exchange.recording?.observer
  const eventId = await createEventIds(sealer, claims, { stream, kind, since }, context)
  const priming = revision.features.polling
    ? primingEvent(eventId(after), endpoint.limits.retryMs)
    : undefined

  let current = start.reader
  const response = new ResponseStream(endpoint.limits, () => current?.close())
  const end = () => {
    current?.close()
    void response.close()
  }
  // A call that is running when its session expires still delivers its answer.
  const expiry =
    kind === 'answer'
      ? null
      : setTimeout(end, Math.min(claims.expiresAt - Date.now(), MAX_TIMER_MS))
  if (forwarder !== undefined) forwarder.onLost = end
  // The run of an answer continues; a revoked caller only stops receiving its events.
  const stopWatching = watchAuthorization(exchange, end)
  const read: Omit<StreamReadRequest, 'after' | 'live'> = { claims, stream, kind, since }
  const body = response.open()
  const done = followStream(response, {
    eventId,
    after,
    reader: start.reader,
    opening: start.opening ?? priming,
    connect: async (at) => {
      // `live`, because the client has stayed connected: only the reader is opened again.
      const reader = await sessions.readStream({
        ...read,
        since: forwarder?.position ?? since,
        after: at,
        live: true,
      })
      current = typeof reader === 'string' ? undefined : reader
      if (current !== undefined) forwarder?.followAgain(current)
      return reader
    },
    onError: (error) => endpoint.report({ type: 'internal-error', error }),
    onEvent: observer?.sent && ((json, id) => observer.sent?.(json, id)),
  }).finally(() => {
    clearTimeout(expiry)
    stopWatching()
    forwarder?.close()
    exchange.recording?.streamEnded()
  })
  onDisconnect(exchange.request, () => {
    response.abandon('client-disconnected')
    current?.close()
  })
  exchange.waitUntil(done)
  return sseResponse(body, extraHeaders)
}
