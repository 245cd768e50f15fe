/**
 * The logs of a session's streams. Every connection is a tail of a log: what is appended is kept
 * first and sent then, to whoever follows, and is there for whoever comes back.
 */
import type {
  SessionLimits,
  StreamKind,
  TailRefusal,
  TailRequest,
} from '../../src/ports/sessions.ts'
import type { SessionStorage } from './session-storage.ts'
import { LineClose, type Tails } from './tails.ts'

type LogLimits = Pick<
  SessionLimits,
  'logEvents' | 'logBytes' | 'sessionLogBytes' | 'logRetentionMs'
>

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
  readonly #tails: Tails
  readonly #limits: LogLimits
  readonly #totals = new Map<string, Totals>()
  /** Streams whose first connection is to end as soon as it has what is there. */
  readonly #polled = new Set<string>()
  /** Of all logs that have ended; undefined until it is needed. */
  #endedSize: number | undefined

  constructor(storage: SessionStorage, tails: Tails, limits: LogLimits) {
    this.#storage = storage
    this.#tails = tails
    this.#limits = limits
  }

  open(stream: string, kind: StreamKind): void {
    this.#storage.statements.insertStream(stream, kind)
  }

  /**
   * Keeps a message and sends it.
   *
   * @param keeps whether it must not be pruned before its stream is: questions and answers
   */
  append(stream: string, data: string, keeps: boolean): void {
    const totals = this.#totalsOf(stream)
    const seq = ++totals.last
    const at = Date.now()
    const row = { seq, size: data.length, keeps: keeps ? 1 : 0, at }
    const text = this.#storage.write(`event ${stream} ${seq}`, data)
    this.#storage.statements.insertEvent(stream, { ...row, data: text })
    this.#tails.send(stream, seq, data)
    if (keeps) return
    totals.count++
    totals.size += data.length
    if (totals.count > this.#limits.logEvents || totals.size > this.#limits.logBytes) {
      this.#prune(stream, totals)
    }
  }

  /** There is nothing more to come. */
  end(stream: string): void {
    const { statements } = this.#storage
    const size = statements.sizeOf(stream)
    this.#endedSize = this.#totalEndedSize + size
    statements.endStream(stream, Date.now(), size)
    this.#totals.delete(stream)
    this.#polled.delete(stream)
    this.#tails.close(stream, LineClose.complete)
    this.#dropExcess()
  }

  /** Ends the connection and not the stream. */
  closeConnection(stream: string): void {
    if (!this.#tails.close(stream, LineClose.polled)) this.#polled.add(stream)
  }

  /** What stands in the way of a tail. */
  refusalOf({ stream, kind, after }: TailRequest): TailRefusal | undefined {
    const row = this.#storage.existing?.stream(stream)
    if (row === undefined) {
      // A stream that carries news may not have had any yet; every other begins with its log.
      return kind === 'answer' || after > 0 ? 'pruned' : undefined
    }
    // Whether or not the alarm has come by.
    if (row.ended_at !== null && row.ended_at + this.#limits.logRetentionMs <= Date.now()) {
      return 'pruned'
    }
    if (after > this.#totalsOf(stream).last) return 'ahead'
    return after < row.pruned_to ? 'pruned' : undefined
  }

  /** Sends a new tail what it has missed. */
  catchUp(socket: WebSocket, { stream, after }: TailRequest): void {
    const { existing } = this.#storage
    const row = existing?.stream(stream)
    if (existing === undefined || row === undefined) return
    for (let at = after; ; ) {
      const page = existing.eventsAfter(stream, at, PAGE)
      for (const { seq, data } of page) {
        this.#tails.sendTo(socket, seq, this.#storage.read(`event ${stream} ${seq}`, data))
        at = seq
      }
      if (page.length < PAGE) break
    }
    if (row.ended_at !== null) this.#tails.end(socket, LineClose.complete)
    else if (this.#polled.delete(stream)) this.#tails.end(socket, LineClose.polled)
  }

  /** Every message of a stream that is still there. */
  messages(stream: string): string[] {
    const { statements } = this.#storage
    return statements
      .eventsAfter(stream, 0, -1)
      .map(({ seq, data }) => this.#storage.read(`event ${stream} ${seq}`, data))
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
      if (kind === 'answer' || existing.runsOfStream(id) > 0) continue
      const until = (last_at ?? 0) + logRetentionMs
      if (until > now) keepUntil(until)
      else if (!this.#tails.has(id)) this.#drop(id)
      else this.#pruneOld(id)
    }
    return next
  }

  #totalsOf(stream: string): Totals {
    const known = this.#totals.get(stream)
    if (known !== undefined) return known
    const totals = { ...this.#storage.statements.logTotals(stream) }
    const pruned = this.#storage.statements.stream(stream)?.pruned_to ?? 0
    totals.last = Math.max(totals.last, pruned)
    this.#totals.set(stream, totals)
    return totals
  }

  #prune(stream: string, totals: Totals): void {
    const { logEvents, logBytes } = this.#limits
    const maxCount = logEvents * (1 - PRUNED_SHARE)
    const maxSize = logBytes * (1 - PRUNED_SHARE)
    let upTo = 0
    for (const { seq, size } of this.#storage.statements.prunableEvents(stream)) {
      // The last one stays, however large it is: a reader that is there is about to have it.
      if (seq === totals.last || (totals.count <= maxCount && totals.size <= maxSize)) break
      totals.count--
      totals.size -= size
      upTo = seq
    }
    if (upTo > 0) this.#forget(stream, upTo)
  }

  /** Of a stream that is followed but silent: nobody comes back for what was sent so long ago. */
  #pruneOld(stream: string): void {
    const upTo = this.#totalsOf(stream).last
    if (upTo > 0 && this.#storage.statements.prunableEvents(stream).length > 0) {
      this.#forget(stream, upTo)
      this.#totals.delete(stream)
    }
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
