/**
 * Reads the log of an event type for one stream: what lies before it in pages, then what occurs. A feed that is lost is
 * opened again at the last position, and so is one that was closed because its client reads too slowly.
 */
import { invalid, type Result, valid } from '../../platform/result.ts'
import type {
  EventObjects,
  LogFeed,
  LoggedOccurrence,
  LogPosition,
  LogStart,
} from '../../ports/events.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { EventError } from '../../protocol/events.ts'
import type { Admitted } from './admit.ts'

export interface ReadOccurrences {
  readonly occurrences: readonly LoggedOccurrence[]
  /** Up to where the log was read. */
  readonly position: LogPosition
  /** Set where the reader begins, also after a gap. */
  readonly confirms: LogPosition | undefined
  /** Whether occurrences before `confirms` are lost. */
  readonly truncated: boolean
}

export interface LogReaderOptions {
  readonly start: LogStart
  readonly holder: string
  readonly maxStreams: number
  /** UTF-16 code units of data that wait for a slow client before the feed is closed. */
  readonly maxWaiting: number
  readonly report: TelemetrySink
}

const PAGE = 200

/** Times before the attempts to open a lost feed again. */
const REOPEN_MS: readonly number[] = [0, 1000, 2000, 5000, 10_000]

export class LogReader {
  readonly #objects: EventObjects
  readonly #admitted: Admitted
  readonly #options: LogReaderOptions
  #waiting: LoggedOccurrence[] = []
  #waitingLength = 0
  #feed: LogFeed | undefined
  #first: ReadOccurrences | undefined
  #isClosed = false
  #wake: () => void = () => undefined
  /** Up to where the stream has delivered everything; undefined before it has begun. */
  position: LogPosition | undefined

  constructor(objects: EventObjects, admitted: Admitted, options: LogReaderOptions) {
    this.#objects = objects
    this.#admitted = admitted
    this.#options = options
  }

  /** Rejects when the log cannot be reached. */
  async open(): Promise<Result<undefined, EventError>> {
    const { start, maxStreams } = this.#options
    const { log, type, argumentsText } = this.#admitted
    if (type.upstream !== undefined) {
      await this.#objects.lease(log, { arguments: argumentsText, forMs: type.upstream.pollLeaseMs })
    }
    const began = await this.#begin(start)
    if (began === 'full') {
      return invalid({ name: 'ResourceExhausted', data: { limit: 'streams', max: maxStreams } })
    }
    this.#first = began
    return valid(undefined)
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
        this.#options.report({ type: 'internal-error', error })
      }
    }
    return undefined
  }

  /** Listens from a start, or reads a page where too much lies before now. */
  async #begin(start: LogStart): Promise<ReadOccurrences | 'full'> {
    const { log: name, subject, type, argumentsText } = this.#admitted
    const { holder, maxWaiting, report } = this.#options
    let isLost = false
    const feed = await this.#objects.listen(name, {
      start,
      subject,
      holder,
      arguments: type.upstream && argumentsText,
      onOccurrences: (occurrences) => {
        for (const occurrence of occurrences) {
          this.#waiting.push(occurrence)
          this.#waitingLength += occurrence.data.length
        }
        if (this.#waitingLength > maxWaiting) this.#drop()
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
      const page = await this.#objects.read(name, { ...start, subject, limit: PAGE })
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
