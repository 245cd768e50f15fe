/**
 * What a Worker and the hub say to each other: how a line is asked for, how a change is spelt, and
 * the beat between. Both ends are this library, yet neither trusts what it reads.
 */
import type { Change, ChangeKind } from '../../src/ports/change-bus.ts'
import { encodeBase64 } from '../../src/protocol/base64.ts'

const CHANGE_KINDS: readonly ChangeKind[] = ['tools', 'prompts', 'resources', 'updated']

/** Answered by the platform itself: a beat neither wakes the hub nor costs a request. */
export const PING = 'ping'
export const PONG = 'pong'

/** How the hub refuses a line. */
export const LineStatus = { malformed: 400, subjectFull: 429, hubFull: 503 } as const

export interface LineRequest {
  readonly kinds: readonly ChangeKind[]
  /** As `subjectKey` spells it; undefined for an anonymous listener. */
  readonly subject: string | undefined
  /** How many lines this subject may have here, and how many all together. */
  readonly perSubject: number
  readonly perShard: number
}

export function lineRequest({ kinds, subject, perSubject, perShard }: LineRequest): Request {
  const url = new URL('https://hub/line')
  for (const kind of kinds) url.searchParams.append('kind', kind)
  if (subject !== undefined) url.searchParams.set('subject', subject)
  url.searchParams.set('perSubject', String(perSubject))
  url.searchParams.set('perShard', String(perShard))
  return new Request(url, { headers: { upgrade: 'websocket' } })
}

/** Undefined for what is no request for a line. */
export function readLineRequest(request: Request): LineRequest | undefined {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
  const { searchParams } = new URL(request.url)
  const asked = new Set(searchParams.getAll('kind'))
  const kinds = CHANGE_KINDS.filter((kind) => asked.has(kind))
  const perSubject = Number(searchParams.get('perSubject'))
  const perShard = Number(searchParams.get('perShard'))
  if (kinds.length !== asked.size || !(perSubject > 0) || !(perShard > 0)) return undefined
  return { kinds, subject: searchParams.get('subject') ?? undefined, perSubject, perShard }
}

/** Without its subject: whoever receives it is who it is for. */
export function changeText(change: Change): string {
  return JSON.stringify(
    change.kind === 'updated' ? { kind: change.kind, uri: change.uri } : { kind: change.kind },
  )
}

/** Undefined for anything that is not a change. */
export function parseChange(data: unknown): Change | undefined {
  if (typeof data !== 'string') return undefined
  let value: { readonly kind?: unknown; readonly uri?: unknown } | null
  try {
    value = JSON.parse(data)
  } catch {
    // Another version of this library may say more than this one understands.
    return undefined
  }
  const kind = CHANGE_KINDS.find((known) => known === value?.kind)
  if (kind === undefined) return undefined
  if (kind !== 'updated') return { kind }
  return typeof value?.uri === 'string' ? { kind, uri: value.uri } : undefined
}

/** The platform takes tags of at most 256 bytes; the prefix takes one. */
const MAX_PLAIN_SUBJECT_BYTES = 255

/**
 * A subject as the hub knows it: itself while it fits a tag, else its digest. The prefixes keep the
 * two apart from each other and from every other tag.
 */
export async function subjectKey(subject: string): Promise<string> {
  const bytes = new TextEncoder().encode(subject)
  // A lone surrogate has no UTF-8 of its own, and two subjects must never share a tag.
  if (bytes.byteLength <= MAX_PLAIN_SUBJECT_BYTES && subject.isWellFormed()) return `=${subject}`
  const units = Uint16Array.from(subject, (_, index) => subject.charCodeAt(index))
  const digest = await crypto.subtle.digest('SHA-256', units)
  return `#${encodeBase64(new Uint8Array(digest))}`
}
