/**
 * The messages on a stream socket: events and the election of the primary stream to the Worker,
 * acknowledgements and changes to the session object. Both ends are Edgeway, of two versions during a
 * deploy, so each ignores what it does not know.
 */
import type { ChangePosition } from '../../src/ports/change-bus.ts'
import { type Change, type ChangeKind, isChangeKind } from '../../src/ports/change-kinds.ts'
import {
  type ChangeFilter,
  type Election,
  type SessionClaims,
  STREAM_KINDS,
  type StreamItem,
  type StreamReadEnd,
  type StreamReadRefusal,
  type StreamReadRequest,
} from '../../src/ports/sessions.ts'
import { isSocketRequest, parseChange, parseJsonMessage } from '../stream-codec.ts'

/**
 * Why the object closes a socket: a normal closure or an application code (RFC 6455 §7.4). A code that the object does
 * not use means that the socket was lost.
 */
export const CloseCode = {
  complete: 1000,
  /** The Worker does not respond. If it still runs, it opens another socket. */
  lost: 4000,
  polled: 4001,
  superseded: 4002,
  gone: 4003,
} as const satisfies Partial<Record<StreamReadEnd, number>>

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]

/** The HTTP status with which the object refuses a socket. */
export const ReadRefusalStatus = {
  gone: 404,
  complete: 405,
  pruned: 410,
  ahead: 416,
  full: 429,
} as const satisfies Record<StreamReadRefusal, number>

export function streamReadRequest(request: StreamReadRequest): Request {
  const headers = { upgrade: 'websocket', 'x-stream-read': asciiJson(request) }
  return new Request('https://session/stream', { headers })
}

/** JSON for a header, which holds ASCII only: the name of a client may be in any script. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Undefined for any other request, and for a kind of stream that this version does not have. */
export function parseStreamReadRequest(request: Request): StreamReadRequest | undefined {
  if (!isSocketRequest(request)) return undefined
  return parseJsonMessage(request.headers.get('x-stream-read') ?? '', (value) => {
    const read = value as StreamReadRequest
    return STREAM_KINDS.includes(read.kind) ? read : undefined
  })
}

/** The number before the message, which is JSON already and must not be escaped a second time. */
export function eventText(seq: number, data: string): string {
  return `e${seq} ${data}`
}

export function primaryText(filter: ChangeFilter): string {
  return `p${JSON.stringify(filter)}`
}

export const SECONDARY_TEXT = 's'

/** Undefined for a message of another version. */
export function parseItem(text: string): StreamItem | Election | undefined {
  switch (text[0]) {
    case 'e': {
      const at = text.indexOf(' ')
      return { kind: 'event', seq: Number(text.slice(1, at)), data: text.slice(at + 1) }
    }
    case 'p':
      return parseJsonMessage(text.slice(1), (filter) => {
        return { kind: 'primary', ...(filter as ChangeFilter) }
      })
    case 's':
      return { kind: 'secondary' }
    default:
      return undefined
  }
}

/** A message of the Worker, with the claims, which an object that was evicted does not remember. */
export type WorkerMessage = WorkerMessageBody & { readonly claims: SessionClaims }

export type WorkerMessageBody =
  /** The client's connection has accepted this event and all before it. */
  | { readonly kind: 'acknowledge'; readonly seq: number }
  | { readonly kind: 'filter-applied'; readonly version: number }
  | { readonly kind: 'changes-begin'; readonly position: ChangePosition }
  /** The position is that of the last one. */
  | {
      readonly kind: 'changes'
      readonly changes: readonly Change[]
      readonly position: ChangePosition
    }
  /** Changes of these kinds are not available any more. */
  | {
      readonly kind: 'changes-lost'
      readonly kinds: readonly ChangeKind[]
      readonly position: ChangePosition
    }

export function workerMessageText(message: WorkerMessage): string {
  return JSON.stringify(message)
}

/** Undefined for a message of another version. */
export function parseWorkerMessage(text: string): WorkerMessage | undefined {
  return parseJsonMessage(text, (value) => knownPart(value as WorkerMessage))
}

/** Without the kinds of change of a newer Worker. */
function knownPart(message: WorkerMessage): WorkerMessage | undefined {
  switch (message.kind) {
    case 'acknowledge':
    case 'filter-applied':
    case 'changes-begin':
      return message
    case 'changes':
      return { ...message, changes: message.changes.filter(parseChange) }
    case 'changes-lost':
      return { ...message, kinds: message.kinds.filter(isChangeKind) }
    default:
      return undefined
  }
}
