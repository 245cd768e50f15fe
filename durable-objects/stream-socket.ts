/**
 * A stream socket: a hibernatable WebSocket from a Worker to a Durable Object. This file is the
 * Worker's end and the heartbeat; the messages belong to the room that opens the socket.
 */

const PING = 'ping'
const PONG = 'pong'

/** The close code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const ABNORMAL_CLOSURE = 1006

/** Lets the platform answer heartbeats, so that they neither wake the object nor cost a request. */
export function answerHeartbeats(ctx: DurableObjectState): void {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
}

export interface StreamSocketHandlers {
  /** Called for each text except heartbeats, in order. */
  readonly onMessage: (data: string) => void
  /** Called once, when the object closed the socket, or with 1006 when the socket was lost. */
  readonly onClose: (code: number, reason: string) => void
  /** Called with each heartbeat while the socket is open. */
  readonly onHeartbeat: () => void
  /** Called once when the socket ends for any reason, before `onClose`. */
  readonly onEnd: () => void
}

export interface StreamSocket {
  /** Sends a text. Does nothing after the end. */
  send(text: string): void
  /** Closes the socket without calling `onClose`. */
  close(): void
}

/**
 * Opens the Worker's end of a socket. Calls no handler before it returns.
 *
 * The heartbeat detects a connection that died without a close frame. It runs in the Worker, because a
 * hibernating object has no timers.
 *
 * @param maxUnanswered the socket is lost at the next heartbeat after this many without an answer
 */
export function openStreamSocket(
  socket: WebSocket,
  heartbeatMs: number,
  { onMessage, onClose, onHeartbeat, onEnd }: StreamSocketHandlers,
  maxUnanswered = 1,
): StreamSocket {
  let hasEnded = false
  let unanswered = 0

  const end = (): boolean => {
    if (hasEnded) return false
    hasEnded = true
    clearInterval(timer)
    socket.close(1000)
    onEnd()
    return true
  }
  const closed = (code: number, reason: string) => {
    if (end()) onClose(code, reason)
  }
  const lost = () => closed(ABNORMAL_CLOSURE, '')
  const beat = () => {
    if (unanswered >= maxUnanswered || socket.readyState !== WebSocket.OPEN) return lost()
    unanswered += 1
    socket.send(PING)
    onHeartbeat()
  }

  socket.addEventListener('message', ({ data }) => {
    if (hasEnded) return
    // Any message proves that the connection is alive.
    unanswered = 0
    if (typeof data === 'string' && data !== PONG) onMessage(data)
  })
  socket.addEventListener('close', ({ code, reason }) => closed(code, reason))
  socket.addEventListener('error', lost)
  const timer = setInterval(beat, heartbeatMs)
  socket.accept()
  return {
    send: (text) => {
      // The socket may be closing while the close event is still on its way.
      if (!hasEnded && socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => void end(),
  }
}
