/**
 * A line from a Worker to a Durable Object: a hibernatable WebSocket, followed at the Worker's end
 * and kept alive by a beat. What travels on it is the business of the two who opened it.
 */

const PING = 'ping'
const PONG = 'pong'

/** How the platform spells a connection that ended without a word (RFC 6455 §7.1.5). */
const ABNORMAL_CLOSURE = 1006

/**
 * Has the platform answer the beats of all lines of an object: they neither wake it nor cost a
 * request.
 */
export function answerHeartbeats(ctx: DurableObjectState): void {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
}

export interface StreamSocketHandlers {
  /** Called for each text but those of the beat, in order. */
  readonly onMessage: (data: string) => void
  /** Called once, when the other end closed the line, or with 1006 when it was lost. */
  readonly onClose: (code: number, reason: string) => void
  /** Called while the line lives, once per beat. */
  readonly onHeartbeat: () => void
  /** Called once, however the line ends, before `onClose`. */
  readonly onEnd: () => void
}

export interface StreamSocket {
  /** Sends a text; on a line that has ended it does nothing. */
  send(text: string): void
  /** Ends the line; calls back no more. */
  close(): void
}

/**
 * Follows a line until either end closes it. Nothing is called back before this has returned.
 *
 * The beat is how a line that died without a word is noticed: a hibernating object has no timers.
 */
export function openStreamSocket(
  socket: WebSocket,
  beatMs: number,
  { onMessage, onClose, onHeartbeat, onEnd }: StreamSocketHandlers,
): StreamSocket {
  let ended = false
  let answered = true

  const end = (): boolean => {
    if (ended) return false
    ended = true
    clearInterval(heart)
    socket.close(1000)
    onEnd()
    return true
  }
  const close = (code: number, reason: string) => {
    if (end()) onClose(code, reason)
  }
  const lose = () => close(ABNORMAL_CLOSURE, '')
  const beat = () => {
    if (!answered || socket.readyState !== WebSocket.OPEN) return lose()
    answered = false
    socket.send(PING)
    onHeartbeat()
  }

  socket.addEventListener('message', ({ data }) => {
    if (ended) return
    // Whatever arrives shows that the object is there.
    answered = true
    if (typeof data === 'string' && data !== PONG) onMessage(data)
  })
  socket.addEventListener('close', ({ code, reason }) => close(code, reason))
  socket.addEventListener('error', lose)
  const heart = setInterval(beat, beatMs)
  socket.accept()
  return {
    send: (text) => {
      // Between closing and hearing of it there is nobody to send to; `onClose` is on its way.
      if (!ended && socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => void end(),
  }
}
