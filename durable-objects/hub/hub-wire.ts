/**
 * The messages between a Worker and a hub shard: the request that opens a stream socket, and the
 * changes on it. Both ends validate what they read, and ignore what they do not know, because a
 * deployment can run two versions.
 */
import { CHANGE_KINDS, type Change, type ChangeKind } from '../../src/ports/change-kinds.ts'
import { isJsonObject } from '../../src/protocol/json.ts'
import { isSocketRequest, parseChange, parseJsonMessage } from '../stream-codec.ts'
import type { LoggedChange } from './change-log.ts'

/** HTTP status of a refused listener. */
export const ListenRefusalStatus = { malformed: 400, subjectFull: 429, hubFull: 503 } as const

/** Response header with the version after which the stream socket begins. */
export const BEGAN_HEADER = 'hub-began'

/** A change as a Worker publishes it: with the audience of its server. */
export type PublishedMessage = Change & { readonly server: string }

export interface ListenRequest {
  readonly kinds: readonly ChangeKind[]
  /** From `subjectKey`; undefined for an anonymous listener. */
  readonly subject: string | undefined
  /** The network of the client, by which listeners without a subject are counted. */
  readonly network: string | undefined
  /** The version after which to begin; undefined for the newest. */
  readonly since: number | undefined
  /** How many listeners the subject, or a network without subjects, may have on this shard. */
  readonly perSubject: number
  /** How many listeners this shard may have. */
  readonly perShard: number
}

export function listenRequest({
  kinds,
  subject,
  network,
  since,
  perSubject,
  perShard,
}: ListenRequest): Request {
  const url = new URL('https://hub/listen')
  for (const kind of kinds) url.searchParams.append('kind', kind)
  if (subject !== undefined) url.searchParams.set('subject', subject)
  if (network !== undefined) url.searchParams.set('network', network)
  if (since !== undefined) url.searchParams.set('since', String(since))
  url.searchParams.set('perSubject', String(perSubject))
  url.searchParams.set('perShard', String(perShard))
  return new Request(url, { headers: { upgrade: 'websocket' } })
}

/** Undefined for a malformed request. */
export function parseListenRequest(request: Request): ListenRequest | undefined {
  if (!isSocketRequest(request)) return undefined
  const { searchParams } = new URL(request.url)
  // A newer Worker may ask for kinds that are never published here.
  const requested = new Set(searchParams.getAll('kind'))
  const kinds = CHANGE_KINDS.filter((kind) => requested.has(kind))
  const perSubject = Number(searchParams.get('perSubject'))
  const perShard = Number(searchParams.get('perShard'))
  if (!(perSubject > 0) || !(perShard > 0)) return undefined
  const subject = searchParams.get('subject') ?? undefined
  const network = searchParams.get('network') ?? undefined
  const since = parseVersion(searchParams.get('since'))
  return { kinds, subject, network, since, perSubject, perShard }
}

/** Undefined for text that is not a version. */
export function parseVersion(text: string | null): number | undefined {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined
  const version = Number(text)
  return Number.isSafeInteger(version) ? version : undefined
}

/** Omits the name of the subject: the shard sends the change only to listeners who may receive it. */
export function loggedChangeText({ version, change, isOwn, server }: LoggedChange): string {
  const { subject: _, ...rest } = change
  return JSON.stringify({ version, ...rest, ...(isOwn && { own: true }), server })
}

/** One message of several changes, each from {@link loggedChangeText}. One change is sent without an array. */
export function changesText(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`
}

/** Without what is malformed, and without kinds of a newer version of this library. */
export function parseLoggedChanges(data: string): readonly LoggedChange[] {
  const changes = parseJsonMessage(data, (value) =>
    (Array.isArray(value) ? value : [value]).flatMap((each) => parseLoggedChange(each) ?? []),
  )
  return changes ?? []
}

function parseLoggedChange(value: unknown): LoggedChange | undefined {
  const change = parseChange(value)
  if (change === undefined || !isJsonObject(value)) return undefined
  const { version, own, server } = value
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return undefined
  if (typeof server !== 'string') return undefined
  return { version, change, isOwn: own === true, server }
}
