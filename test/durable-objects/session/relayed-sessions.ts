/** The session objects, with a relay between them and the stream sockets of the Worker. */
import type { SessionObject } from '../../../durable-objects/session/session-object.ts'
import { objectsOfKind } from '../../support/objects.ts'

// features: sessions

interface Relay {
  /** Changes a message of the object; undefined drops it. Default: none is changed. */
  readonly toWorker?: (text: string) => string | undefined
  /** Reads a message of the Worker. */
  readonly onSent?: (text: string) => void
}

export function relayedSessions({ toWorker = (text) => text, onSent }: Relay) {
  return {
    getByName: (name: string) => ({
      post: (post: never) =>
        objectsOfKind<SessionObject>('session', 'sessions').getByName(name).post(post),
      terminate: (at: number, server: string) =>
        objectsOfKind<SessionObject>('session', 'sessions').getByName(name).terminate(at, server),
      async fetch(request: Request) {
        const { webSocket, status } = await objectsOfKind<SessionObject>('session', 'sessions')
          .getByName(name)
          .fetch(request)
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
    }),
  }
}
