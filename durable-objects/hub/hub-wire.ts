/**
 * What a Worker and the hub say to each other: how a line is asked for, where it begins, and how
 * news is spelt. Both ends are this library, yet neither trusts what it reads.
 */

import { encodeBase64 } from '../../src/platform/base64.ts'
import { sha256 } from '../../src/platform/digest.ts'
import type { Change, ChangeKind } from '../../src/ports/change-bus.ts'
import type { LoggedChange } from './change-log.ts'

const CHANGE_KINDS: readonly ChangeKind[] = [
  'tools_list_changed',
  'prompts_list_changed',
  'resources_list_changed',
  'resource_updated',
  'elicitation_complete',
]

/** How the hub refuses a line. */
export const ListenRefusalStatus = { malformed: 400, subjectFull: 429, hubFull: 503 } as const

/** In the answer to a request for a line: the version it begins after. */
export const BEGAN_HEADER = 'hub-began'

export interface ListenRequest {
  readonly kinds: readonly ChangeKind[]
  /** As `subjectKey` spells it; undefined for an anonymous listener. */
  readonly subject: string | undefined
  /** The version after which to begin; undefined for now. */
  readonly since: number | undefined
  /** How many lines this subject may have here, and how many all together. */
  readonly perSubject: number
  readonly perShard: number
}

export function listenRequest({
  kinds,
  subject,
  since,
  perSubject,
  perShard,
}: ListenRequest): Request {
  const url = new URL('https://hub/listen')
  for (const kind of kinds) url.searchParams.append('kind', kind)
  if (subject !== undefined) url.searchParams.set('subject', subject)
  if (since !== undefined) url.searchParams.set('since', String(since))
  url.searchParams.set('perSubject', String(perSubject))
  url.searchParams.set('perShard', String(perShard))
  return new Request(url, { headers: { upgrade: 'websocket' } })
}

/** Undefined for what is no request for a line. */
export function parseListenRequest(request: Request): ListenRequest | undefined {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
  const { searchParams } = new URL(request.url)
  const asked = new Set(searchParams.getAll('kind'))
  const kinds = CHANGE_KINDS.filter((kind) => asked.has(kind))
  const perSubject = Number(searchParams.get('perSubject'))
  const perShard = Number(searchParams.get('perShard'))
  if (kinds.length !== asked.size || !(perSubject > 0) || !(perShard > 0)) return undefined
  const subject = searchParams.get('subject') ?? undefined
  const since = readVersion(searchParams.get('since'))
  return { kinds, subject, since, perSubject, perShard }
}

/** Undefined for anything that is no version. */
export function readVersion(text: string | null): number | undefined {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined
  const version = Number(text)
  return Number.isSafeInteger(version) ? version : undefined
}

/** Without its subject: whoever receives it is who it is for. */
export function loggedChangeText({ version, change }: LoggedChange): string {
  const { subject: _, ...told } = change
  return JSON.stringify({ version, ...told })
}

/** Undefined for anything that is no news. */
export function parseLoggedChange(data: string): LoggedChange | undefined {
  let value: { readonly [member: string]: unknown } | null
  try {
    value = JSON.parse(data)
  } catch {
    // Another version of this library may say more than this one understands.
    return undefined
  }
  const version = value?.version
  const change = readChange(value ?? {})
  const isNews = typeof version === 'number' && Number.isSafeInteger(version)
  return isNews && change !== undefined ? { version, change } : undefined
}

function readChange(value: { readonly [member: string]: unknown }): Change | undefined {
  const kind = CHANGE_KINDS.find((known) => known === value.kind)
  const { uri, elicitationId } = value
  switch (kind) {
    case undefined:
      return undefined
    case 'resource_updated':
      return typeof uri === 'string' ? { kind, uri } : undefined
    case 'elicitation_complete':
      return typeof elicitationId === 'string' ? { kind, elicitationId } : undefined
    default:
      return { kind }
  }
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
  return `#${encodeBase64(await sha256(new Uint8Array(units.buffer)))}`
}
