/** The streams that read a log: each is a hibernatable WebSocket, which its tags describe after an eviction. */

import {
  answerHeartbeats,
  closeIfOpen,
  NORMAL_CLOSURE,
  SocketCounts,
  sendIfOpen,
} from '../../../../../src/internal.ts'
import { sha256Base64Url } from '../../../../../src/platform/digest.ts'
import type { FeedRefusal, LoggedOccurrence } from '../port.ts'
import { historyMs, type LogStorage, openLog } from './log-storage.ts'
import {
  beganHeaders,
  FeedRefusalStatus,
  type FeedRequest,
  occurrencesTexts,
  parseFeedRequest,
} from './log-wire.ts'
import { beginningOf, readRange, visibleTo } from './read-log.ts'

/** What a socket is sent when it is accepted. A reader that is further behind reads the log first. */
const BACKLOG = { occurrences: 256, length: 1024 * 1024 } as const

export class LogSockets {
  readonly #storage: LogStorage
  readonly #ctx: DurableObjectState
  readonly #counts: SocketCounts

  constructor(storage: LogStorage) {
    this.#storage = storage
    this.#ctx = storage.state
    this.#counts = new SocketCounts(this.#ctx)
    answerHeartbeats(this.#ctx)
  }

  get isEmpty(): boolean {
    return this.#ctx.getWebSockets().length === 0
  }

  /** Opens a stream socket, or refuses it with a {@link FeedRefusalStatus}. */
  async open(request: Request): Promise<Response> {
    const feed = parseFeedRequest(request)
    if (feed === undefined)
      return new Response('Not a request for a stream socket', { status: 400 })
    const { subject, holder, arguments: text } = feed
    const tags = await Promise.all([
      tagOf('holder', holder),
      ...(subject === undefined ? [] : [tagOf('subject', subject)]),
      ...(text === undefined ? [] : [tagOf('arguments', text)]),
    ])
    return this.#accept(feed, tags)
  }

  /**
   * Awaits nothing, and neither does an emit between storing an occurrence and sending it: each is either in the backlog
   * or sent to the accepted socket, never both.
   */
  #accept({ name, start, subject }: FeedRequest, tags: string[]): Response {
    const { limits } = this.#storage
    const [holder = ''] = tags
    if (
      this.#counts.count(undefined, limits.streamsPerType) >= limits.streamsPerType ||
      this.#counts.count(holder, limits.streamsPerPrincipal) >= limits.streamsPerPrincipal
    ) {
      return refusal('full')
    }
    // The positions that the stream receives are of this log, so it must have its name now.
    const open = openLog(this.#storage, name)
    const history = historyMs(this.#storage, name.type)
    const began = beginningOf(this.#storage, open, start, history)
    const { rows, hasMore } = readRange(open, began.after, BACKLOG.occurrences, BACKLOG.length)
    if (hasMore) return refusal('behind')
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.#ctx.acceptWebSocket(ours, tags)
    this.#counts.add(holder)
    for (const text of occurrencesTexts(visibleTo(rows, subject))) sendIfOpen(ours, text)
    const { log, after: position, truncated } = began
    const headers = beganHeaders({ log, position, truncated })
    return new Response(null, { status: 101, webSocket: theirs, headers })
  }

  /** The tag of the sockets that get occurrences of a person. Undefined where no socket is open: nothing is awaited. */
  tagOf(subject: string | undefined): Promise<string> | undefined {
    return subject === undefined || this.isEmpty ? undefined : tagOf('subject', subject)
  }

  /** @param tag undefined: to everyone */
  send(occurrence: LoggedOccurrence, tag: string | undefined): void {
    if (occurrence.subject !== undefined && tag === undefined) return
    const sockets = this.#ctx.getWebSockets(tag)
    if (sockets.length === 0) return
    for (const text of occurrencesTexts([occurrence])) {
      for (const socket of sockets) sendIfOpen(socket, text)
    }
  }

  /** Whether a stream needs the upstream of some arguments. `key` is their digest. */
  needs(key: string): boolean {
    return this.#ctx.getWebSockets(`arguments:${key}`).length > 0
  }

  closed(socket: WebSocket): void {
    closeIfOpen(socket, NORMAL_CLOSURE)
  }
}

/** Digests, because a tag has at most 256 bytes. Of JSON text, which tells lone surrogates apart. */
async function tagOf(kind: 'holder' | 'subject' | 'arguments', text: string): Promise<string> {
  return `${kind}:${await digestOf(text)}`
}

export function digestOf(text: string): Promise<string> {
  return sha256Base64Url(JSON.stringify(text))
}

function refusal(reason: FeedRefusal): Response {
  return new Response(reason, { status: FeedRefusalStatus[reason] })
}
