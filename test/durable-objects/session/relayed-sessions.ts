/** The session objects, with a relay between them and the stream sockets of the Worker. */
import type { Interception } from '../../support/objects.ts'

// features: sessions

interface Relay {
  /** Changes a message of the object; undefined drops it. Default: none is changed. */
  readonly toWorker?: (text: string) => string | undefined
  /** Reads a message of the Worker. */
  readonly onSent?: (text: string) => void
}

export function relayedSessions({ toWorker = (text) => text, onSent }: Relay): Interception {
  return {
    async fetch(_, next) {
      const { webSocket, status } = await next()
      if (webSocket === null) return new Response(null, { status })
      const { 0: worker, 1: relay } = new WebSocketPair()
      webSocket.addEventListener('message', ({ data }) => {
        const text = toWorker(String(data))
        if (text !== undefined) relay.send(text)
      })
      webSocket.addEventListener('close', ({ code }) => relay.close(code))
      relay.addEventListener('message', ({ data }) => {
        onSent?.(String(data))
        if (webSocket.readyState === WebSocket.OPEN) webSocket.send(data)
      })
      relay.addEventListener('close', () => webSocket.close(1000))
      relay.accept()
      webSocket.accept()
      return new Response(null, { status: 101, webSocket: worker })
    },
  }
}
