/** Answers with a stream of a session: its opening event, and then the events of its log. */

import { MAX_TIMER_MS } from '../../../platform/deadline.ts'
import { encodeUtf8 } from '../../../platform/utf8.ts'
import type { ChangePosition } from '../../../ports/change-bus.ts'
import type { StreamEvent, StreamKind, StreamReader } from '../../../ports/sessions.ts'
import { onDisconnect } from '../../../transport/disconnect.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { sseResponse } from '../../../transport/respond.ts'
import { messageEventText, primingEvent } from '../../../transport/sse/event.ts'
import { ResponseStream } from '../../../transport/sse/response-stream.ts'
import { watchAuthorization } from '../../../transport/watch-authorization.ts'
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
  readonly reader?: StreamReader
  readonly forwarder?: ChangeForwarder | undefined
  /** The digest of the present lists, of a stream that tells of changes. */
  readonly lists?: string | undefined
  /** The first event. Default: the priming event, if the revision has one. */
  readonly opening?: Uint8Array | undefined
}

const ANSWER_START: StreamStart = { kind: 'answer', after: 0, since: undefined }

export async function streamResponse(
  exchange: Exchange,
  session: FoundSession,
  stream: string,
  start: StreamStart = ANSWER_START,
): Promise<Response> {
  const { endpoint, extraHeaders } = exchange
  const { claims, revision, sealer, sessions, context } = session
  const { kind, after, since, forwarder, lists } = start
  const observe = exchange.recording?.observe
  const eventId = await createEventIds(sealer, claims, { stream, kind, since, lists }, context)
  const priming = revision.features.polling
    ? primingEvent(eventId(after), sessions.limits.retryMs)
    : undefined

  let current = start.reader
  /** The last events for a caller that has lost its access. */
  let revoked: Promise<readonly StreamEvent[]> | undefined
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
  const onError = (error: unknown) => endpoint.report({ type: 'internal-error', error })
  /**
   * Ends the calls of a caller that has lost its access, and returns the answers that say so. Calls of another grant
   * continue: a client that connects again reads their answers.
   */
  const endRevoked = () =>
    sessions.endRevoked({ claims, stream }).catch((error) => {
      onError(error)
      return []
    })
  const stopWatching = watchAuthorization(exchange, (why) => {
    if (why === 'unchecked') return end()
    revoked ??= kind === 'standalone' ? Promise.resolve([]) : endRevoked()
    current?.close()
  })
  const onEvent =
    observe && ((json: string, eventId: string) => observe({ type: 'sent', json, eventId }))
  const body = response.open()
  const done = followStream(response, {
    eventId,
    after,
    reader: start.reader,
    isRevoked: () => revoked !== undefined,
    opening: start.opening ?? priming,
    connect: async (from) => {
      if (revoked === undefined) {
        const position = forwarder?.position ?? since
        // `live`, because the client has stayed connected: only the reader is opened again.
        const at = { claims, stream, kind, lists, since: position, after: from, live: true }
        const reader = await sessions.readStream(at)
        current = typeof reader === 'string' ? undefined : reader
        if (revoked === undefined) {
          if (current !== undefined) forwarder?.followAgain(current)
          return reader
        }
        current?.close()
      }
      for (const { seq, data } of await revoked) {
        const id = eventId(seq)
        onEvent?.(data, id)
        await response.sendEvent(encodeUtf8(messageEventText(data, id)))
      }
      return 'gone'
    },
    onError,
    onEvent,
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
