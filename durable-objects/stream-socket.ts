/**
 * A stream socket: a hibernatable WebSocket from a Worker to a Durable Object. This file is both ends and the
 * heartbeat; the messages belong to the room that opens the socket, and `stream-codec.ts` has what they share.
 */

const PING = 'ping'
const PONG = 'pong'

/** RFC 6455 §7.4.1. */
export const NORMAL_CLOSURE = 1000

/** The close code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const ABNORMAL_CLOSURE = 1006

/** Lets the platform answer heartbeats, so that they neither wake the object nor cost a request. */
export function answerHeartbeats(ctx: DurableObjectState): void {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
}

/** Sends a text to a Worker. Does nothing when the socket is closed: the Worker then reads again from its position. */
export function sendIfOpen(socket: WebSocket, text: string): void {
  try {
    socket.send(text)
  } catch {
    // The socket is closed, or closes: `webSocketClose` follows.
  }
}

/** Closes the object's end of a socket. Does nothing when it is closed. */
export function closeIfOpen(socket: WebSocket, code: number): void {
  try {
    socket.close(code)
  } catch {
    // The socket is closed already.
  }
}

/** Closes the socket of a response that is not used, such as one that arrived after its timeout. */
export function closeSocketOf({ webSocket }: Response): void {
  webSocket?.accept()
  webSocket?.close(NORMAL_CLOSURE)
}

export interface StreamSocketHandlers {
  /** Called for each text except heartbeats, in order. */
  readonly onMessage: (data: string) => void
  /** Called instead of `onClose`, once the socket is closed, with what `onMessage` has thrown. */
  readonly onError?: (error: unknown) => void
  /** Called once, when the object closed the socket, or with 1006 when the socket was lost. */
  readonly onClose: (code: number, reason: string) => void
  /** Called with each heartbeat while the socket is open. */
  readonly onHeartbeat?: () => void
  /** Called once when the socket ends for any reason, before `onClose`. */
  readonly onEnd?: () => void
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
  { onMessage, onError, onClose, onHeartbeat, onEnd }: StreamSocketHandlers,
  maxUnanswered = 1,
): StreamSocket {
  let hasEnded = false
  let unanswered = 0

  const end = (): boolean => {
    if (hasEnded) return false
    hasEnded = true
    clearInterval(timer)
    socket.close(NORMAL_CLOSURE)
    onEnd?.()
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
    onHeartbeat?.()
  }

  socket.addEventListener('message', ({ data }) => {
    if (hasEnded) return
    // Any message proves that the connection is alive.
    unanswered = 0
    if (typeof data !== 'string' || data === PONG) return
    try {
      onMessage(data)
    } catch (error) {
      if (onError === undefined) throw error
      end()
      onError(error)
    }
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
