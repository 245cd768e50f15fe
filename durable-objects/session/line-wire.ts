/**
 * What a Worker and a session's object say to each other on a line: events and who carries the news
 * one way, news the other. Both ends are this library, yet neither trusts what it reads.
 */
import type { Change, ChangeKind, ChangePosition } from '../../src/ports/change-bus.ts'
import type {
  Interests,
  LineEnd,
  LineItem,
  SessionFacts,
  TailRefusal,
  TailRequest,
} from '../../src/ports/sessions.ts'

/** Why the object closes a line: application codes (RFC 6455 §7.4.2), but for the normal end. */
export const LineClose = { complete: 1000, polled: 4001, superseded: 4002, gone: 4003 } as const

export type LineClose = (typeof LineClose)[keyof typeof LineClose]

const ENDS = new Map<number, LineEnd>(
  Object.entries(LineClose).map(([why, code]) => [code, why as LineEnd]),
)

/** Anything that the object did not say itself is a broken line. */
export function lineEnd(code: number): LineEnd {
  return ENDS.get(code) ?? 'lost'
}

/** How the object refuses a line. */
export const RefusalStatus = { gone: 404, pruned: 410, ahead: 416 } as const satisfies Record<
  TailRefusal,
  number
>

export function refusalOf(status: number): TailRefusal | undefined {
  return (Object.keys(RefusalStatus) as TailRefusal[]).find((why) => RefusalStatus[why] === status)
}

export function tailRequest(request: TailRequest): Request {
  const headers = { upgrade: 'websocket', 'x-tail': asciiJson(request) }
  return new Request('https://session/tail', { headers })
}

/** JSON as a header can hold it: what a client calls itself may be of any script. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Undefined for what is no request for a line. */
export function readTailRequest(request: Request): TailRequest | undefined {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
  const text = request.headers.get('x-tail')
  return text === null ? undefined : (JSON.parse(text) as TailRequest)
}

/** The number and then the message, so that a long one is not escaped a second time. */
export function eventText(seq: number, data: string): string {
  return `e${seq} ${data}`
}

export function primaryText(interests: Interests): string {
  return `p${JSON.stringify(interests)}`
}

export const SECONDARY_TEXT = 's'

/** Undefined for what another version of this library may say. */
export function parseItem(text: string): LineItem | undefined {
  switch (text[0]) {
    case 'e': {
      const at = text.indexOf(' ')
      return { kind: 'event', seq: Number(text.slice(1, at)), data: text.slice(at + 1) }
    }
    case 'p':
      return { kind: 'primary', ...(JSON.parse(text.slice(1)) as Interests) }
    case 's':
      return { kind: 'secondary' }
    default:
      return undefined
  }
}

/** What a Worker tells the object, with what an object that has slept does not remember. */
export type Told = News & { readonly facts: SessionFacts }

export type News =
  /** The reader has taken this event and all before it. */
  | { readonly kind: 'taken'; readonly seq: number }
  | { readonly kind: 'attending'; readonly version: number }
  | { readonly kind: 'listening'; readonly position: ChangePosition }
  | { readonly kind: 'change'; readonly change: Change; readonly position: ChangePosition }
  | {
      readonly kind: 'missed'
      readonly kinds: readonly ChangeKind[]
      readonly position: ChangePosition
    }

export function toldText(told: Told): string {
  return JSON.stringify(told)
}

const KINDS: readonly string[] = [
  'taken',
  'attending',
  'listening',
  'change',
  'missed',
] satisfies News['kind'][]

export function parseTold(text: string): Told | undefined {
  try {
    const told = JSON.parse(text) as Told
    return KINDS.includes(told.kind) ? told : undefined
  } catch {
    // Nothing of ours.
    return undefined
  }
}
