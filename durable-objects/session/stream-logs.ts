/**
 * The logs of a session's streams. Every connection reads from a log: an event is stored first, then
 * sent to a connected reader, and replayed to a reader that reconnects.
 */
import type { SessionLimits } from '../../src/ports/session-limits.ts'
import {
  MAIN_STREAM,
  type StreamEvent,
  type StreamKind,
  type StreamReadRefusal,
  type StreamReadRequest,
} from '../../src/ports/sessions.ts'
import { EndedLogs } from './ended-logs.ts'
import { FlowControl } from './flow-control.ts'
import { eventKey } from './row-keys.ts'
import { type EventRow, Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamSockets } from './stream-sockets.ts'
import { CloseCode } from './stream-wire.ts'

type LogLimits = Pick<
  SessionLimits,
  'logEvents' | 'logBytes' | 'totalLogBytes' | 'logRetentionMs'
> & { readonly writeStallMs: number }

/** How much is pruned below the limit, so that not every event prunes. */
const PRUNED_SHARE = 0.1

/** Events read from storage at a time. */
const PAGE = 100

/** Streams without events whose end a session remembers. */
const MAX_QUIET_STREAMS = 100

/** A LIMIT of SQLite. */
const NO_LIMIT = -1

interface Totals {
  /** The number of the last event. */
  last: number
  /** Count and size of the events that may be pruned. */
  count: number
  size: number
}

export class StreamLogs {
  readonly #storage: SessionStorage
  readonly #sockets: StreamSockets
  readonly #limits: LogLimits
  readonly #flow: FlowControl
  readonly #totals = new Map<string, Totals>()
  /** Streams whose next connection is closed after the replay, because their client polls. */
  readonly #polled = new Set<string>()
  readonly #ended: EndedLogs

  constructor(storage: SessionStorage, sockets: StreamSockets, limits: LogLimits) {
    this.#storage = storage
    this.#sockets = sockets
    this.#limits = limits
    const { logEvents, logBytes, writeStallMs } = limits
    this.#ended = new EndedLogs(storage, limits.totalLogBytes, (stream) => this.#delete(stream))
    this.#flow = new FlowControl(logEvents / 2, logBytes / 2, writeStallMs)
  }

  /**
   * Opens a log; an open one stays as it is. The numbers of a log that may be opened again after it was
   * deleted start at the current time, so that no number ever names two events.
   */
  open(stream: string, kind: StreamKind): void {
    const startsAt = kind === 'answer' ? 0 : Date.now()
    if (this.#storage.statements.insertStream(stream, kind, startsAt)) this.#flow.connect(stream)
  }

  /**
   * Stores a message and sends it to the reader.
   *
   * @param runId the run that sends it, for {@link messagesOf}
   */
  append(stream: string, data: string, retention: Retention, runId: string | null = null): void {
    const totals = this.#totalsOf(stream)
    const seq = ++totals.last
    const row = { seq, run_id: runId, size: data.length, retention, at: Date.now() }
    const text = this.#storage.write(eventKey(stream, seq), data)
    this.#storage.statements.insertEvent(stream, { ...row, data: text })
    this.#sockets.send(stream, seq, data)
    if (retention === Retention.always) return
    totals.size += data.length
    if (retention === Retention.prunable) {
      totals.count++
      this.#flow.sent(stream, seq, data.length)
    }
    const { logEvents, logBytes, totalLogBytes } = this.#limits
    // The answers of the main stream have the same limit as all ended logs together.
    const maxSize = retention === Retention.timed ? totalLogBytes : logBytes
    if (totals.count > logEvents || totals.size > maxSize) this.#prune(stream, totals, maxSize)
  }

  /** The answers of a stream that ends stay as long as its log. Those of the main stream expire. */
  appendAnswer(stream: string, text: string): void {
    this.append(stream, text, stream === MAIN_STREAM ? Retention.timed : Retention.always)
  }

  /** Resolves when the reader of a stream can take more. */
  waitForCapacity(stream: string): Promise<void> {
    return this.#flow.waitForCapacity(stream)
  }

  /** The reader of a stream has this event and all before it. */
  acknowledge(stream: string, seq: number): void {
    this.#flow.acknowledge(stream, seq)
  }

  /** A socket of a stream has closed. */
  socketClosed(stream: string): void {
    if (!this.#sockets.has(stream)) this.#flow.disconnect(stream)
  }

  /** The stream of a POST ends with the last of its runs. */
  endIfComplete(stream: string): void {
    if (stream !== MAIN_STREAM && this.#storage.statements.runsOfStream(stream) === 0)
      this.end(stream)
  }

  /** Ends a stream after its last event. */
  end(stream: string): void {
    const { statements } = this.#storage
    const size = statements.sizeOf(stream)
    this.#ended.add(size)
    statements.endStream(stream, Date.now(), size)
    this.#totals.delete(stream)
    this.#polled.delete(stream)
    this.#flow.remove(stream)
    this.#sockets.closeStream(stream, CloseCode.complete)
    this.#ended.deleteExcess()
  }

  /** Closes the connection of a stream that goes on: the client polls for the rest. */
  closeConnection(stream: string): void {
    if (!this.#sockets.closeStream(stream, CloseCode.polled)) this.#polled.add(stream)
    this.#flow.disconnect(stream)
  }

  /** Why a stream cannot be read from the requested position, if so. */
  refusalOf({ stream, kind, after, live }: StreamReadRequest): StreamReadRefusal | undefined {
    const row = this.#storage.existing?.stream(stream)
    if (row === undefined) {
      // A stream for changes has no log before its first change. A stream of answers begins with one.
      return kind === 'answer' || (after > 0 && !live) ? 'pruned' : undefined
    }
    // The alarm that deletes an expired log may be late.
    if (row.ended_at !== null && row.ended_at + this.#limits.logRetentionMs <= Date.now()) {
      return 'pruned'
    }
    const { last } = this.#totalsOf(stream)
    if (after > last) return live ? undefined : 'ahead'
    // A client resumes each stream that ends without a result, so a complete one must not open again.
    if (row.ended_at !== null && after === last && !live) return 'complete'
    if (live || after >= Math.max(row.starts_at, row.pruned_to)) return undefined
    // A reader without any event has missed nothing while the log is complete.
    return after === 0 && row.pruned_to === 0 ? undefined : 'pruned'
  }

  /** Sends a new reader the events after its position. */
  replay(socket: WebSocket, { stream, after }: StreamReadRequest): void {
    const { existing } = this.#storage
    const row = existing?.stream(stream)
    if (existing === undefined || row === undefined) return
    if (row.ended_at === null) this.#flow.connect(stream)
    for (let at = after; ; ) {
      const page = existing.eventsAfter(stream, at, PAGE)
      for (const event of page) {
        at = event.seq
        this.#sockets.sendTo(socket, at, this.#textOf(stream, event))
      }
      if (page.length < PAGE) break
    }
    if (row.ended_at !== null) this.#sockets.close(socket, CloseCode.complete)
    else if (this.#polled.delete(stream)) this.#sockets.close(socket, CloseCode.polled)
  }

  /** The number of the last event of a stream. */
  lastOf(stream: string): number {
    return this.#totalsOf(stream).last
  }

  /** All events of a stream after a number. */
  eventsAfter(stream: string, after: number): StreamEvent[] {
    const rows = this.#storage.statements.eventsAfter(stream, after, NO_LIMIT)
    return rows.map((row) => ({ seq: row.seq, data: this.#textOf(stream, row) }))
  }

  /** The messages of a run that its log still holds. */
  messagesOf(stream: string, runId: string): string[] {
    const rows = this.#storage.statements.eventsOf(stream, runId)
    return rows.map((row) => this.#textOf(stream, row))
  }

  #textOf(stream: string, { seq, data }: EventRow): string {
    return this.#storage.read(eventKey(stream, seq), data)
  }

  /**
   * Deletes expired logs and events, and returns when the next ones expire. Of a stream that can be resumed, the
   * end of its log stays: a reader may come back that has received everything.
   *
   * @param isResumable whether a standalone or main stream without a reader may be resumed
   */
  deleteExpired(now: number, isResumable: boolean): number | undefined {
    const { existing } = this.#storage
    if (existing === undefined) return undefined
    let next: number | undefined
    const expiresLater = (at: number) => {
      next = Math.min(next ?? at, at)
    }
    const { logRetentionMs } = this.#limits
    for (const ended of existing.endedStreams()) {
      const expiresAt = ended.ended_at + logRetentionMs
      if (expiresAt <= now) this.#ended.delete(ended)
      else expiresLater(expiresAt)
    }
    for (const { id, kind, last_at } of existing.openStreams()) {
      // The log of a request lives as long as the request.
      if (kind === 'answer') continue
      this.#deleteOlder(id, now - logRetentionMs)
      const expiresAt = (last_at ?? 0) + logRetentionMs
      if (expiresAt > now) expiresLater(expiresAt)
      // A connected stream sets the next alarm when its reader disconnects.
      else if (this.#sockets.has(id) || existing.runsOfStream(id) > 0) continue
      else if (!isResumable) this.#delete(id)
      else if (last_at !== null) this.#deleteEvents(id)
    }
    this.#deleteExcessEnds()
    return next
  }

  /** Deletes all events of a stream. Its row knows the number of the last one. */
  #deleteEvents(stream: string): void {
    const { last } = this.#totalsOf(stream)
    this.#storage.transaction(() => {
      this.#storage.statements.deleteEvents(stream)
      this.#storage.statements.savePruned(stream, last)
    })
    this.#totals.delete(stream)
  }

  /** A client that opens one stream after the other must not fill the storage. */
  #deleteExcessEnds(): void {
    const quiet = this.#storage.existing?.quietStreams() ?? []
    for (const { id } of quiet.slice(MAX_QUIET_STREAMS)) {
      if (!this.#sockets.has(id)) this.#delete(id)
    }
  }

  /** Whether the session has no log. */
  get isEmpty(): boolean {
    return (this.#storage.existing?.countStreams() ?? 0) === 0
  }

  #totalsOf(stream: string): Totals {
    const known = this.#totals.get(stream)
    if (known !== undefined) return known
    const { statements } = this.#storage
    const totals = { ...statements.logTotals(stream) }
    const row = statements.stream(stream)
    totals.last = Math.max(totals.last, row?.pruned_to ?? 0, row?.starts_at ?? 0)
    this.#totals.set(stream, totals)
    return totals
  }

  #prune(stream: string, totals: Totals, limit: number): void {
    const maxCount = this.#limits.logEvents * (1 - PRUNED_SHARE)
    const maxSize = limit * (1 - PRUNED_SHARE)
    let { count, size } = totals
    let upTo = 0
    for (const event of this.#storage.statements.prunableEvents(stream)) {
      // The last event stays, however large it is: a connected reader is about to receive it.
      if (event.seq === totals.last || (count <= maxCount && size <= maxSize)) break
      if (event.retention === Retention.prunable) count--
      size -= event.size
      upTo = event.seq
    }
    if (upTo === 0) return
    totals.count = count
    totals.size = size
    this.#deleteUpTo(stream, upTo)
  }

  #deleteOlder(stream: string, than: number): void {
    const upTo = this.#storage.statements.lastBefore(stream, than)
    if (upTo === 0) return
    this.#totals.delete(stream)
    this.#deleteUpTo(stream, upTo)
  }

  #deleteUpTo(stream: string, seq: number): void {
    this.#storage.transaction(() => {
      this.#storage.statements.deletePrunable(stream, seq)
      this.#storage.statements.savePruned(stream, seq)
    })
  }

  #delete(stream: string): void {
    this.#storage.transaction(() => this.#storage.statements.deleteStream(stream))
    this.#totals.delete(stream)
  }
}
