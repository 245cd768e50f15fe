/** The sessions port over the namespace of the session objects. */
import { perObject } from '../../src/platform/per-object.ts'
import type { CallsOf, SocketsOfKind } from '../../src/ports/objects.ts'
import type { SessionLimits } from '../../src/ports/session-limits.ts'
import type {
  Election,
  SessionClaims,
  Sessions,
  StreamItem,
  StreamReader,
  StreamReadRefusal,
} from '../../src/ports/sessions.ts'
import { callerOf } from '../object-call.ts'
import { nameOfCode } from '../stream-codec.ts'
import { closeSocketOf, openStreamSocket, type StreamSocketHandlers } from '../stream-socket.ts'
import type { SessionObject } from './session-object.ts'
import {
  CloseCode,
  parseItem,
  ReadRefusalStatus,
  streamReadRequest,
  type WorkerMessageBody,
  workerMessageText,
} from './stream-wire.ts'

type SessionNamespace = SocketsOfKind<SessionObject>

/**
 * Interval of heartbeats. The session object ends a socket that sends none for the time of three, when a
 * new stream needs its place.
 */
const HEARTBEAT_MS = 10_000

/** On a busy machine, the answers of several heartbeats may wait behind other work. */
const MAX_UNANSWERED_HEARTBEATS = 5

/** Size of the unread events that a reader buffers, in UTF-16 code units. */
const MAX_BUFFERED = 1024 * 1024

export function createSessions(namespace: SessionNamespace, limits: SessionLimits): Sessions {
  const call = callerOf(namespace)
  return {
    limits,
    post: (post) => {
      const { name } = post.claims
      const send = async (session: CallsOf<SessionObject>) =>
        await session.post({ ...post, claims: textOf(post.claims) })
      // Only a POST without requests is repeated when its object was reset: a request must run once.
      const runsOnce = post.messages.some(({ kind }) => kind === 'request')
      return runsOnce ? send(namespace.named(name)) : call(name, send)
    },
    terminate: ({ name, expiresAt }) => call(name, (session) => session.terminate(expiresAt)),
    endRevoked: ({ claims, stream }) =>
      call(claims.name, (session) => session.endRevoked(textOf(claims), stream)),
    taskChanged: (follower, task, state) => {
      const texts = [task, JSON.stringify(state), JSON.stringify(follower)] as const
      return call(follower.claims.name, (session) => session.taskChanged(...texts))
    },
    deliver: (name, run, key, value) => {
      const text = JSON.stringify(value)
      return call(name, (session) => session.deliverToRun(run, key, text))
    },
    deliveryRefusal: (name, run, key) => call(name, (session) => session.deliveryRefusal(run, key)),
    async readStream(request): Promise<StreamReader | StreamReadRefusal> {
      const { claims } = request
      const response = await call(
        claims.name,
        (session) => session.fetch(streamReadRequest(request)),
        undefined,
        closeSocketOf,
      )
      if (response.webSocket !== null) return openReader(response.webSocket, claims)
      await response.body?.cancel()
      const refusal = nameOfCode(ReadRefusalStatus, response.status)
      if (refusal === undefined) {
        throw new Error(`The session object refused a stream socket: ${response.status}`)
      }
      return refusal
    },
  }
}

function openReader(webSocket: WebSocket, claims: SessionClaims): StreamReader {
  const items: StreamItem[] = []
  let buffered = 0
  let hasEnded = false
  let wake: (() => void) | undefined
  /** The last election, until a listener receives it. */
  let election: Election | undefined
  let onElection: ((election: Election) => void) | undefined
  const elect = (item: Election) => {
    if (onElection === undefined) election = item
    else onElection(item)
  }
  const push = (item: StreamItem) => {
    if (hasEnded) return
    hasEnded = item.kind === 'end'
    items.push(item)
    wake?.()
    if (hasEnded) elect({ kind: 'secondary' })
  }
  const shift = (): StreamItem | undefined => {
    const item = items.shift()
    if (item?.kind === 'event') buffered -= item.data.length
    return item
  }
  const handlers: StreamSocketHandlers = {
    onMessage: (text) => {
      const item = parseItem(text)
      if (item === undefined) return
      if (item.kind === 'primary' || item.kind === 'secondary') return elect(item)
      // An event that exceeds the limit alone is buffered when nothing else is.
      if (item.kind === 'event' && buffered > 0 && buffered + item.data.length > MAX_BUFFERED) {
        socket.close()
        return push({ kind: 'end', why: 'behind' })
      }
      if (item.kind === 'event') buffered += item.data.length
      push(item)
    },
    onClose: (code) => push({ kind: 'end', why: nameOfCode(CloseCode, code) ?? 'lost' }),
  }
  const socket = openStreamSocket(webSocket, HEARTBEAT_MS, handlers, MAX_UNANSWERED_HEARTBEATS)
  const send = (message: WorkerMessageBody) =>
    socket.send(workerMessageText({ ...message, claims }))
  return {
    async next() {
      for (;;) {
        const item = shift()
        if (item !== undefined) return item
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    onElection(listener) {
      onElection = listener
      if (election !== undefined) listener(election)
      election = undefined
    },
    nextEvent() {
      const [item] = items
      if (item?.kind !== 'event') return undefined
      shift()
      return item
    },
    acknowledge: (seq) => send({ kind: 'acknowledge', seq }),
    filterApplied: (version) => send({ kind: 'filter-applied', version }),
    changesBeginAt: (position) => send({ kind: 'changes-begin', position }),
    forward: (changes) => {
      const last = changes.at(-1)
      if (last === undefined) return
      send({
        kind: 'changes',
        changes: changes.map(({ change }) => change),
        position: last.position,
      })
    },
    changesLost: (kinds, position) => send({ kind: 'changes-lost', kinds, position }),
    close: () => {
      socket.close()
      push({ kind: 'end', why: 'lost' })
    },
  }
}

/** An isolate caches the claims of a session, so the same object comes with every request, and its text is cached too. */
function textOf(claims: SessionClaims): string {
  return textsOf(claims).text
}

const textsOf = perObject((claims: SessionClaims) => ({ text: JSON.stringify(claims) }))
