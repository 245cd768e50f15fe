/**
 * The logs of a session's streams. Every connection is a tail of a log: what is appended is kept
 * first and sent then, to whoever follows, and is there for whoever comes back.
 */
import type {
  SessionLimits,
  StreamKind,
  StreamReadRefusal,
  StreamReadRequest,
} from '../../src/ports/sessions.ts'
import { ReaderPace } from './reader-pace.ts'
import { eventKey } from './row-keys.ts'
import { Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import { CloseCode, type StreamSockets } from './stream-sockets.ts'

type LogLimits = Pick<
  SessionLimits,
  'logEvents' | 'logBytes' | 'sessionLogBytes' | 'logRetentionMs'
> & { readonly writeStallMs: number }

/** How much is pruned beyond the bound, so that it does not happen with every event. */
const PRUNED_SHARE = 0.1

/** Events read at a time for a tail. */
const PAGE = 100

interface Totals {
  last: number
  /** Of what may be pruned. */
  count: number
  size: number
}

export class StreamLogs {
  readonly #storage: SessionStorage
  readonly #tails: StreamSockets
  readonly #limits: LogLimits
  readonly #pace: ReaderPace
  readonly #totals = new Map<string, Totals>()
  /** Streams whose first connection is to end as soon as it has what is there. */
  readonly #polled = new Set<string>()
  /** Of all logs that have ended; undefined until it is needed. */
  #endedSize: number | undefined

  constructor(storage: SessionStorage, tails: StreamSockets, limits: LogLimits) {
    this.#storage = storage
    this.#tails = tails
    this.#limits = limits
    const { logEvents, logBytes, writeStallMs } = limits
    this.#pace = new ReaderPace(logEvents / 2, logBytes / 2, writeStallMs)
  }

  /**
   * Opens a log. One that may be taken up again after it was dropped goes on counting from the clock, so
   * that no number ever names two events.
   */
  open(stream: string, kind: StreamKind): void {
    const startsAt = kind === 'answer' ? 0 : Date.now()
    if (this.#storage.statements.insertStream(stream, kind, startsAt)) this.#pace.attend(stream)
  }

  /**
   * Keeps a message and sends it.
   *
   * @param runId the run that sends it, so that it knows what it has sent when it is run again
   */
  append(stream: string, data: string, retention: Retention, runId: string | null = null): void {
    const totals = this.#totalsOf(stream)
    const seq = ++totals.last
    const row = { seq, run_id: runId, size: data.length, retention, at: Date.now() }
    const text = this.#storage.write(eventKey(stream, seq), data)
    this.#storage.statements.insertEvent(stream, { ...row, data: text })
    this.#tails.send(stream, seq, data)
    if (retention === Retention.always) return
    totals.size += data.length
    if (retention === Retention.prunable) {
      totals.count++
      this.#pace.sent(stream, seq, data.length)
    }
    const { logEvents, logBytes, sessionLogBytes } = this.#limits
    // Answers that go with time are bounded like all answers together.
    const maxSize = retention === Retention.timed ? sessionLogBytes : logBytes
    if (totals.count > logEvents || totals.size > maxSize) this.#prune(stream, totals, maxSize)
  }

  /** Resolves when the reader of a stream can take more. */
  room(stream: string): Promise<void> {
    return this.#pace.room(stream)
  }

  /** The reader of a stream has taken this event. */
  taken(stream: string, seq: number): void {
    this.#pace.taken(stream, seq)
  }

  /** The reader of a stream has left. */
  leave(stream: string): void {
    if (!this.#tails.has(stream)) this.#pace.leave(stream)
  }

  /** There is nothing more to come. */
  end(stream: string): void {
    const { statements } = this.#storage
    const size = statements.sizeOf(stream)
    this.#endedSize = this.#totalEndedSize + size
    statements.endStream(stream, Date.now(), size)
    this.#totals.delete(stream)
    this.#polled.delete(stream)
    this.#pace.forget(stream)
    this.#tails.close(stream, CloseCode.complete)
    this.#dropExcess()
  }

  /** Ends the connection and not the stream. */
  closeConnection(stream: string): void {
    if (!this.#tails.close(stream, CloseCode.polled)) this.#polled.add(stream)
    this.#pace.leave(stream)
  }

  /** What stands in the way of a tail. */
  refusalOf({ stream, kind, after, live }: StreamReadRequest): StreamReadRefusal | undefined {
    const row = this.#storage.existing?.stream(stream)
    if (row === undefined) {
      // A stream that carries news may not have had any yet; every other begins with its log.
      return kind === 'answer' || (after > 0 && !live) ? 'pruned' : undefined
    }
    // Whether or not the alarm has come by.
    if (row.ended_at !== null && row.ended_at + this.#limits.logRetentionMs <= Date.now()) {
      return 'pruned'
    }
    if (after > this.#totalsOf(stream).last) return live ? undefined : 'ahead'
    if (live || after >= Math.max(row.starts_at, row.pruned_to)) return undefined
    // Whoever has had nothing has missed nothing, as long as everything is still there.
    return after === 0 && row.pruned_to === 0 ? undefined : 'pruned'
  }

  /** Sends a new tail what it has missed. */
  catchUp(socket: WebSocket, { stream, after }: StreamReadRequest): void {
    const { existing } = this.#storage
    const row = existing?.stream(stream)
    if (existing === undefined || row === undefined) return
    if (row.ended_at === null) this.#pace.attend(stream)
    for (let at = after; ; ) {
      const page = existing.eventsAfter(stream, at, PAGE)
      for (const { seq, data } of page) {
        this.#tails.sendTo(socket, seq, this.#storage.read(eventKey(stream, seq), data))
        at = seq
      }
      if (page.length < PAGE) break
    }
    if (row.ended_at !== null) this.#tails.end(socket, CloseCode.complete)
    else if (this.#polled.delete(stream)) this.#tails.end(socket, CloseCode.polled)
  }

  /** What a run has sent, as far as it is still there. */
  messagesOf(stream: string, runId: string): string[] {
    const { statements } = this.#storage
    return statements
      .eventsOf(stream, runId)
      .map(({ seq, data }) => this.#storage.read(eventKey(stream, seq), data))
  }

  /** Drops what has been kept long enough, and says when to look again. */
  sweep(now: number): number | undefined {
    const { existing } = this.#storage
    if (existing === undefined) return undefined
    let next: number | undefined
    const keepUntil = (until: number) => {
      next = Math.min(next ?? until, until)
    }
    const { logRetentionMs } = this.#limits
    for (const ended of existing.endedStreams()) {
      const until = ended.ended_at + logRetentionMs
      if (until <= now) this.#dropEnded(ended)
      else keepUntil(until)
    }
    for (const { id, kind, last_at } of existing.openStreams()) {
      // What belongs to a request lives as long as the request.
      if (kind === 'answer') continue
      this.#pruneOld(id, now - logRetentionMs)
      const until = (last_at ?? 0) + logRetentionMs
      if (until > now) keepUntil(until)
      // Followed and silent, it costs nothing more: its end is looked at when its reader leaves.
      else if (!this.#tails.has(id) && existing.runsOfStream(id) === 0) this.#drop(id)
    }
    return next
  }

  /** Whether any log is there. */
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
      // The last one stays, however large it is: a reader that is there is about to have it.
      if (event.seq === totals.last || (count <= maxCount && size <= maxSize)) break
      if (event.retention === Retention.prunable) count--
      size -= event.size
      upTo = event.seq
    }
    if (upTo === 0) return
    totals.count = count
    totals.size = size
    this.#forget(stream, upTo)
  }

  /** Nobody comes back for what was sent so long ago. */
  #pruneOld(stream: string, before: number): void {
    const upTo = this.#storage.statements.lastBefore(stream, before)
    if (upTo === 0) return
    this.#totals.delete(stream)
    this.#forget(stream, upTo)
  }

  #forget(stream: string, upTo: number): void {
    this.#storage.transaction(() => {
      this.#storage.statements.deletePrunable(stream, upTo)
      this.#storage.statements.setPruned(stream, upTo)
    })
  }

  get #totalEndedSize(): number {
    return this.#endedSize ?? this.#storage.statements.endedSize()
  }

  #dropExcess(): void {
    if (this.#totalEndedSize <= this.#limits.sessionLogBytes) return
    // The one that has just ended stays, however large it is.
    for (const ended of this.#storage.statements.endedStreams().slice(0, -1)) {
      if (this.#totalEndedSize <= this.#limits.sessionLogBytes) return
      this.#dropEnded(ended)
    }
  }

  #dropEnded({ id, size }: { readonly id: string; readonly size: number }): void {
    this.#endedSize = this.#totalEndedSize - size
    this.#drop(id)
  }

  #drop(stream: string): void {
    this.#storage.transaction(() => this.#storage.statements.deleteStream(stream))
    this.#totals.delete(stream)
  }
}
