/**
 * The messages between a Worker and the log of an event type: the request that opens a stream socket, and the
 * occurrences on it. Both ends ignore what they do not know, because a deployment can run two versions.
 */

import { isSocketRequest, parseJsonMessage } from '../../../../../src/internal.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import type { FeedRefusal, LogFeed, LoggedOccurrence, LogName, LogStart } from '../port.ts'

export interface FeedRequest {
  readonly name: LogName
  readonly start: LogStart
  readonly subject: string | undefined
  readonly holder: string
  readonly arguments: string | undefined
}

export const FeedRefusalStatus = { behind: 416, full: 429 } as const satisfies Record<
  FeedRefusal,
  number
>

/** Where a stream socket begins. */
type Began = Omit<LogFeed, 'close'>

const BEGAN_HEADER = 'log-began'

export function feedRequest(request: FeedRequest): Request {
  const url = new URL('https://log/listen')
  url.searchParams.set('request', JSON.stringify(request))
  return new Request(url, { headers: { upgrade: 'websocket' } })
}

/** Undefined for a malformed request. */
export function parseFeedRequest(request: Request): FeedRequest | undefined {
  if (!isSocketRequest(request)) return undefined
  const text = new URL(request.url).searchParams.get('request') ?? ''
  return parseJsonMessage(text, (value) => {
    const request = value as FeedRequest
    const texts = [request.name.type, request.holder]
    const isKnown = texts.every(isText) && isJsonObject(request.start)
    return isKnown ? request : undefined
  })
}

export function beganHeaders(began: Began): Record<string, string> {
  return { [BEGAN_HEADER]: JSON.stringify(began) }
}

export function parseBegan(headers: Headers): Began | undefined {
  return parseJsonMessage(headers.get(BEGAN_HEADER) ?? '', (value) => {
    const { log, position, truncated } = value as Began
    const isKnown = Number.isSafeInteger(position) && isText(log)
    return isKnown ? { log, position, truncated: truncated === true } : undefined
  })
}

/** UTF-16 code units in one message. */
const MAX_MESSAGE_LENGTH = 256 * 1024

/** The texts of messages that contain all occurrences in order. */
export function* occurrencesTexts(occurrences: readonly LoggedOccurrence[]): Generator<string> {
  let batch: string[] = []
  let length = 0
  for (const occurrence of occurrences) {
    const text = JSON.stringify(occurrence)
    if (batch.length > 0 && length + text.length > MAX_MESSAGE_LENGTH) {
      yield `[${batch.join(',')}]`
      batch = []
      length = 0
    }
    batch.push(text)
    length += text.length
  }
  if (batch.length > 0) yield `[${batch.join(',')}]`
}

/** The message that was read last: all feeds of an isolate receive the same. */
let latest: { readonly data: string; readonly occurrences: readonly LoggedOccurrence[] } | undefined

/** Empty for a message that this version does not know. */
export function parseOccurrences(data: string): readonly LoggedOccurrence[] {
  if (latest?.data === data) return latest.occurrences
  const occurrences = parseJsonMessage(data, (value) =>
    Array.isArray(value) ? value.filter(isOccurrence) : [],
  )
  latest = { data, occurrences: occurrences ?? [] }
  return latest.occurrences
}

function isOccurrence(value: unknown): value is LoggedOccurrence {
  return (
    isJsonObject(value) &&
    Number.isSafeInteger(value.position) &&
    [value.eventId, value.timestamp, value.data].every(isText)
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
