/**
 * What a Worker and a session's object say to each other on a line: events and who carries the news
 * one way, news the other. Both ends are this library, yet neither trusts what it reads.
 */
import type { Change, ChangeKind, ChangePosition } from '../../src/ports/change-bus.ts'
import type {
  ChangeFilter,
  SessionClaims,
  StreamItem,
  StreamReadEnd,
  StreamReadRefusal,
  StreamReadRequest,
} from '../../src/ports/sessions.ts'

/** Why the object closes a line: application codes (RFC 6455 §7.4.2), but for the normal end. */
export const CloseCode = { complete: 1000, polled: 4001, superseded: 4002, gone: 4003 } as const

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]

const ENDS = new Map<number, StreamReadEnd>(
  Object.entries(CloseCode).map(([why, code]) => [code, why as StreamReadEnd]),
)

/** Anything that the object did not say itself is a broken line. */
export function readEndOf(code: number): StreamReadEnd {
  return ENDS.get(code) ?? 'lost'
}

/** How the object refuses a line. */
export const ReadRefusalStatus = { gone: 404, pruned: 410, ahead: 416 } as const satisfies Record<
  StreamReadRefusal,
  number
>

export function refusalOf(status: number): StreamReadRefusal | undefined {
  return (Object.keys(ReadRefusalStatus) as StreamReadRefusal[]).find(
    (why) => ReadRefusalStatus[why] === status,
  )
}

export function streamReadRequest(request: StreamReadRequest): Request {
  const headers = { upgrade: 'websocket', 'x-stream-read': asciiJson(request) }
  return new Request('https://session/stream', { headers })
}

/** JSON as a header can hold it: what a client calls itself may be of any script. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Undefined for what is no request for a line. */
export function parseStreamReadRequest(request: Request): StreamReadRequest | undefined {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
  const text = request.headers.get('x-stream-read')
  return text === null ? undefined : (JSON.parse(text) as StreamReadRequest)
}

/** The number and then the message, so that a long one is not escaped a second time. */
export function eventText(seq: number, data: string): string {
  return `e${seq} ${data}`
}

export function primaryText(interests: ChangeFilter): string {
  return `p${JSON.stringify(interests)}`
}

export const SECONDARY_TEXT = 's'

/** Undefined for what another version of this library may say. */
export function parseItem(text: string): StreamItem | undefined {
  switch (text[0]) {
    case 'e': {
      const at = text.indexOf(' ')
      return { kind: 'event', seq: Number(text.slice(1, at)), data: text.slice(at + 1) }
    }
    case 'p':
      return { kind: 'primary', ...(JSON.parse(text.slice(1)) as ChangeFilter) }
    case 's':
      return { kind: 'secondary' }
    default:
      return undefined
  }
}

/** What a Worker tells the object, with what an object that has slept does not remember. */
export type WorkerMessage = WorkerMessageBody & { readonly claims: SessionClaims }

export type WorkerMessageBody =
  /** The reader has taken this event and all before it. */
  | { readonly kind: 'acknowledge'; readonly seq: number }
  | { readonly kind: 'filter-applied'; readonly version: number }
  | { readonly kind: 'changes-begin'; readonly position: ChangePosition }
  | { readonly kind: 'change'; readonly change: Change; readonly position: ChangePosition }
  | {
      readonly kind: 'changes-lost'
      readonly kinds: readonly ChangeKind[]
      readonly position: ChangePosition
    }

export function workerMessageText(told: WorkerMessage): string {
  return JSON.stringify(told)
}

const KINDS: readonly string[] = [
  'acknowledge',
  'filter-applied',
  'changes-begin',
  'change',
  'changes-lost',
] satisfies WorkerMessageBody['kind'][]

export function parseWorkerMessage(text: string): WorkerMessage | undefined {
  try {
    const told = JSON.parse(text) as WorkerMessage
    return KINDS.includes(told.kind) ? told : undefined
  } catch {
    // Nothing of ours.
    return undefined
  }
}
