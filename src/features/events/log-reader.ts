/**
 * Reads the log of an event type for one stream: what lies before it in pages, then what occurs. A feed that is lost is
 * opened again at the last position, and so is one that was closed because its client reads too slowly.
 */
import type { LogFeed, LoggedOccurrence, LogPosition, LogStart } from '../../ports/events.ts'
import { exhausted } from '../../protocol/event-errors.ts'
import type { Admitted } from './admit.ts'
import type { EventCaller } from './event-caller.ts'
import { eventError } from './event-error.ts'

export interface ReadOccurrences {
  readonly occurrences: readonly LoggedOccurrence[]
  /** Up to where the log was read. */
  readonly position: LogPosition
  /** Set where the reader begins, also after a gap. */
  readonly confirms: LogPosition | undefined
  /** Whether occurrences before `confirms` are lost. */
  readonly truncated: boolean
}

const PAGE = 200

/** Times before the attempts to open a lost feed again. */
const REOPEN_MS: readonly number[] = [0, 1000, 2000, 5000, 10_000]

export class LogReader {
  readonly #asking: EventCaller
  readonly #admitted: Admitted
  readonly #holder: string
  readonly #maxWaiting: number
  #waiting: LoggedOccurrence[] = []
  #waitingLength = 0
  #feed: LogFeed | undefined
  #first: ReadOccurrences | undefined
  #isClosed = false
  #wake: () => void = () => undefined
  /** Up to where the stream has delivered everything; undefined before it has begun. */
  position: LogPosition | undefined

  /**
   * @param holder by whom streams are counted
   * @param maxWaiting UTF-16 code units of data that wait for a slow client before the feed is closed
   */
  constructor(asking: EventCaller, admitted: Admitted, holder: string, maxWaiting: number) {
    this.#asking = asking
    this.#admitted = admitted
    this.#holder = holder
    this.#maxWaiting = maxWaiting
  }

  /**
   * Rejects when the log cannot be reached.
   *
   * @throws {ProtocolError} when the holder has too many streams
   */
  async open(start: LogStart, maxStreams: number): Promise<void> {
    const { objects, profile } = this.#asking
    const { log, type, argumentsText } = this.#admitted
    if (type.upstream !== undefined) {
      await objects.lease(log, { arguments: argumentsText, forMs: type.upstream.pollLeaseMs })
    }
    const began = await this.#begin(start)
    if (began === 'full') throw eventError(exhausted('streams', maxStreams), profile)
    this.#first = began
  }

  /** What is read, until `close`, or until the log cannot be reached any more. */
  async *pages(): AsyncGenerator<ReadOccurrences, undefined> {
    for (let next = this.#first; !this.#isClosed; next = await this.#next()) {
      if (next === undefined) return
      yield next
      this.position = next.position
    }
  }

  close(): void {
    this.#isClosed = true
    this.#feed?.close()
    this.#wake()
  }

  async #next(): Promise<ReadOccurrences | undefined> {
    while (this.#waiting.length === 0 && this.#feed !== undefined && !this.#isClosed) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const occurrences = this.#waiting.splice(0)
    this.#waitingLength = 0
    const last = occurrences.at(-1)
    const log = this.position?.log
    if (last === undefined || log === undefined) return this.#isClosed ? undefined : this.#reopen()
    const position = { log, position: last.position }
    return { occurrences, position, confirms: undefined, truncated: false }
  }

  async #reopen(): Promise<ReadOccurrences | undefined> {
    for (const delay of REOPEN_MS) {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
      if (this.#isClosed) return undefined
      try {
        const began = await this.#begin({ after: this.position, maxAgeMs: undefined })
        if (began === 'full') continue
        return began.truncated ? began : { ...began, confirms: undefined }
      } catch (error) {
        this.#asking.report({ type: 'internal-error', error })
      }
    }
    return undefined
  }

  /** Listens from a start, or reads a page where too much lies before now. */
  async #begin(start: LogStart): Promise<ReadOccurrences | 'full'> {
    const { log: name, subject, type, argumentsText } = this.#admitted
    const { objects, report } = this.#asking
    let isLost = false
    const feed = await objects.listen(name, {
      start,
      subject,
      holder: this.#holder,
      arguments: type.upstream && argumentsText,
      onOccurrences: (occurrences) => {
        for (const occurrence of occurrences) {
          this.#waiting.push(occurrence)
          this.#waitingLength += occurrence.data.length
        }
        if (this.#waitingLength > this.#maxWaiting) this.#drop()
        this.#wake()
      },
      onLost: (error) => {
        if (error !== undefined) report({ type: 'internal-error', error })
        isLost = true
        this.#feed = undefined
        this.#wake()
      },
    })
    if (!feed.ok && feed.error === 'full') return 'full'
    if (!feed.ok) {
      const page = await objects.read(name, { ...start, subject, limit: PAGE })
      const { log, position, occurrences, truncated } = page
      const before = (occurrences[0]?.position ?? position + 1) - 1
      const confirms = { log, position: before }
      return { occurrences, position: { log, position }, confirms, truncated }
    }
    const { log, position, truncated, close } = feed.value
    if (this.#isClosed) close()
    if (!isLost) this.#feed = feed.value
    const at = { log, position }
    return { occurrences: [], position: at, confirms: at, truncated }
  }

  /** What waits is delivered, and the rest is read from the log afterwards. */
  #drop(): void {
    this.#feed?.close()
    this.#feed = undefined
  }
}
