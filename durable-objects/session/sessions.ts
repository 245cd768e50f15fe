/** The sessions port over the namespace of their objects. */
import type {
  SessionClaims,
  SessionPost,
  SessionReply,
  Sessions,
  StreamItem,
  StreamReader,
  StreamReadRefusal,
} from '../../src/ports/sessions.ts'
import { callObject } from '../object-call.ts'
import { openStreamSocket } from '../stream-socket.ts'
import type { SessionRpc } from './session-object.ts'
import {
  parseItem,
  readEndOf,
  refusalOf,
  streamReadRequest,
  type WorkerMessageBody,
  workerMessageText,
} from './stream-wire.ts'

/** As much of a `DurableObjectNamespace` as sessions need. */
export interface SessionNamespace {
  getByName(name: string): SessionRpc & Pick<Fetcher, 'fetch'>
}

/** How often a line is checked: a dead one is noticed after two. */
const BEAT_MS = 30_000

/** What a line holds of events that nobody has taken yet, in UTF-16 code units. */
const MAX_WAITING = 1024 * 1024

export function createSessions(namespace: SessionNamespace): Sessions {
  return {
    post: (post) => deliver(namespace, post),
    terminate: ({ name, expiresAt }) =>
      callObject(() => namespace.getByName(name).terminate(expiresAt)),
    async readStream(request): Promise<StreamReader | StreamReadRefusal> {
      const { name } = request.claims
      const response = await callObject(
        () => namespace.getByName(name).fetch(streamReadRequest(request)),
        undefined,
        hangUp,
      )
      if (response.webSocket !== null) return openLine(response.webSocket, request.claims)
      await response.body?.cancel()
      const refusal = refusalOf(response.status)
      if (refusal === undefined) throw new Error(`A session refused a line: ${response.status}`)
      return refusal
    },
  }
}

/** A request happens once: only what asks for nothing is sent again when its object was reset. */
function deliver(namespace: SessionNamespace, post: SessionPost): Promise<SessionReply> {
  const told = { ...post, claims: claimsText(post.claims) }
  const send = async () => await namespace.getByName(post.claims.name).post(told)
  return post.messages.some(({ kind }) => kind === 'request') ? send() : callObject(send)
}

function hangUp({ webSocket }: Response): void {
  webSocket?.accept()
  webSocket?.close(1000)
}

function openLine(socket: WebSocket, claims: SessionClaims): StreamReader {
  const items: StreamItem[] = []
  let waiting = 0
  let ended = false
  let wake: (() => void) | undefined
  const push = (item: StreamItem) => {
    if (ended) return
    ended = item.kind === 'end'
    items.push(item)
    wake?.()
  }
  const line = openStreamSocket(socket, BEAT_MS, {
    onMessage: (text) => {
      const item = parseItem(text)
      if (item === undefined) return
      // One that is too long by itself is taken all the same: it must come some time.
      if (item.kind === 'event' && waiting > 0 && waiting + item.data.length > MAX_WAITING) {
        line.close()
        return push({ kind: 'end', why: 'behind' })
      }
      if (item.kind === 'event') waiting += item.data.length
      push(item)
    },
    onClose: (code) => push({ kind: 'end', why: readEndOf(code) }),
    onHeartbeat: () => undefined,
    onEnd: () => undefined,
  })
  const tell = (news: WorkerMessageBody) => line.send(workerMessageText({ ...news, claims }))
  return {
    async next() {
      for (;;) {
        const item = items.shift()
        if (item?.kind === 'event') waiting -= item.data.length
        if (item !== undefined) return item
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    nextEvent() {
      const [item] = items
      if (item?.kind !== 'event') return undefined
      items.shift()
      waiting -= item.data.length
      return item
    },
    acknowledge: (seq) => tell({ kind: 'acknowledge', seq }),
    filterApplied: (version) => tell({ kind: 'filter-applied', version }),
    changesBeginAt: (position) => tell({ kind: 'changes-begin', position }),
    forward: (change, position) => tell({ kind: 'change', change, position }),
    changesLost: (kinds, position) => tell({ kind: 'changes-lost', kinds, position }),
    close: () => {
      line.close()
      push({ kind: 'end', why: 'lost' })
    },
  }
}

/** By claims: an isolate keeps those of a session, and they are the same with every request. */
const texts = new WeakMap<SessionClaims, string>()

function claimsText(claims: SessionClaims): string {
  const known = texts.get(claims)
  if (known !== undefined) return known
  const text = JSON.stringify(claims)
  texts.set(claims, text)
  return text
}
