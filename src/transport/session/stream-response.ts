/** A stream of a session as an answer: the priming event, and then a tail of its log. */
import type { ChangePosition } from '../../ports/change-bus.ts'
import type { StreamKind, StreamReader, StreamReadRequest } from '../../ports/sessions.ts'
import { onDisconnect } from '../disconnect.ts'
import type { Exchange } from '../exchange.ts'
import { MAX_TIMER_MS } from '../limits.ts'
import { sseResponse } from '../respond.ts'
import { primingEvent } from '../sse/event.ts'
import { ResponseStream } from '../sse/response-stream.ts'
import { watchCaller } from '../watch-caller.ts'
import type { ChangeForwarder } from './change-forwarder.ts'
import { createEventIds } from './event-id.ts'
import type { FoundSession } from './find-session.ts'
import { followStream } from './follow-stream.ts'

export interface StreamStart {
  readonly kind: StreamKind
  /** The last event that the reader has. */
  readonly after: number
  readonly since: ChangePosition | undefined
  /** A line that is open already, and what carries news on it. */
  readonly line: StreamReader | undefined
  readonly carrier: ChangeForwarder | undefined
  /** Sent before anything else, where the revision primes its streams or the transport wants it. */
  readonly opening: Uint8Array | undefined
}

const OF_ANSWER: StreamStart = {
  kind: 'answer',
  after: 0,
  since: undefined,
  line: undefined,
  carrier: undefined,
  opening: undefined,
}

export async function streamResponse(
  exchange: Exchange,
  session: FoundSession,
  stream: string,
  start: StreamStart = OF_ANSWER,
): Promise<Response> {
  const { endpoint, extraHeaders } = exchange
  const { claims, revision, sealer, sessions, context } = session
  const { kind, after, since, carrier } = start
  const eventId = await createEventIds(sealer, claims, { stream, kind, since }, context)
  const priming = revision.features.polling
    ? primingEvent(eventId(after), endpoint.limits.retryMs)
    : undefined

  let current = start.line
  const response = new ResponseStream(endpoint.limits, () => current?.close())
  const end = () => {
    current?.close()
    void response.close()
  }
  // A request that is under way when its session expires still gets its answer.
  const expiry =
    kind === 'answer'
      ? null
      : setTimeout(end, Math.min(claims.expiresAt - Date.now(), MAX_TIMER_MS))
  if (carrier !== undefined) carrier.onLost = end
  // The work of an answer goes on, and nobody is told of it.
  const stopWatching = watchCaller(exchange, end)
  const tail: Omit<StreamReadRequest, 'after' | 'live'> = { claims, stream, kind, since }
  const body = response.open()
  const done = followStream(response, {
    eventId,
    after,
    reader: start.line,
    opening: start.opening ?? priming,
    connect: async (at) => {
      // The reader has been here all along.
      const line = await sessions.readStream({
        ...tail,
        since: carrier?.position ?? since,
        after: at,
        live: true,
      })
      current = typeof line === 'string' ? undefined : line
      return line
    },
    onItem: (item, line) => carrier?.take(item, line),
    onError: (error) => endpoint.report({ type: 'internal-error', error }),
  }).finally(() => {
    clearTimeout(expiry)
    stopWatching()
    carrier?.close()
  })
  onDisconnect(exchange.request, () => {
    response.abandon('client-gone')
    current?.close()
  })
  exchange.waitUntil(done)
  return sseResponse(body, extraHeaders)
}
