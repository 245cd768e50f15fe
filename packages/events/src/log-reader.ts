/**
 * Reads the log of an event type for one stream: what lies before it in pages, then what occurs. A feed that is lost is
 * opened again at the last position, and so is one that was closed because its client reads too slowly.
 */

import { delay } from '../../../src/platform/deadline.ts'
import { exhausted } from '../../../src/protocol/event-errors.ts'
import type { Admitted } from './admit.ts'
import type { EventCaller } from './event-caller.ts'
import { eventError } from './event-error.ts'
import { leaseUpstream } from './lease-upstream.ts'
import type { EventLimits } from './objects/event-settings.ts'
import type { LogFeed, LoggedOccurrence, LogPosition, LogStart } from './objects/port.ts'

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

export interface LogReaderOptions {
  readonly start: LogStart
  readonly limits: Pick<EventLimits, 'streamsPerPrincipal' | 'upstreamsPerPrincipal'>
  /** UTF-16 code units of data that wait for a slow client before the feed is closed. */
  readonly maxWaiting: number
}

export class LogReader {
  readonly #asking: EventCaller
  readonly #admitted: Admitted
  readonly #maxWaiting: number
  #waiting: LoggedOccurrence[] = []
  #waitingLength = 0
  #feed: LogFeed | undefined
  #first: ReadOccurrences | undefined
  #position: LogPosition | undefined
  #isClosed = false
  #wake = () => {}

  private constructor(asking: EventCaller, admitted: Admitted, maxWaiting: number) {
    this.#asking = asking
    this.#admitted = admitted
    this.#maxWaiting = maxWaiting
  }

  /**
   * Opens the feed. Rejects when the log cannot be reached.
   *
   * @throws {ProtocolError} when the caller has too many streams, or needs too many listeners at the upstream
   */
  static async open(
    asking: EventCaller,
    admitted: Admitted,
    { start, limits, maxWaiting }: LogReaderOptions,
  ): Promise<LogReader> {
    await leaseUpstream(asking, admitted, limits)
    const reader = new LogReader(asking, admitted, maxWaiting)
    const first = await reader.#begin(start)
    if (first === 'full') {
      throw eventError(exhausted('streams', limits.streamsPerPrincipal), asking.profile)
    }
    reader.#first = first
    return reader
  }

  /** Up to where the stream has delivered everything; undefined before it has begun. */
  get position(): LogPosition | undefined {
    return this.#position
  }

  /** What is read, until `close`, or until the log cannot be reached any more. */
  async *pages(): AsyncGenerator<ReadOccurrences, undefined> {
    for (let page = this.#first; page !== undefined && !this.#isClosed; page = await this.#next()) {
      yield page
      this.#position = page.position
    }
  }

  close(): void {
    this.#isClosed = true
    this.#feed?.close()
    this.#wake()
  }

  async #next(): Promise<ReadOccurrences | undefined> {
    while (this.#waiting.length === 0 && this.#feed !== undefined && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const occurrences = this.#waiting.splice(0)
    this.#waitingLength = 0
    const last = occurrences.at(-1)
    const log = this.#position?.log
    if (last === undefined || log === undefined) return this.#isClosed ? undefined : this.#reopen()
    const at = { log, position: last.position }
    return { occurrences, position: at, confirms: undefined, truncated: false }
  }

  async #reopen(): Promise<ReadOccurrences | undefined> {
    for (const ms of REOPEN_MS) {
      if (ms > 0) await delay(ms)
      if (this.#isClosed) return undefined
      try {
        const began = await this.#begin({ after: this.#position, maxAgeMs: undefined })
        if (began === 'full') continue
        return began.truncated ? began : { ...began, confirms: undefined }
      } catch (error) {
        this.#asking.report({ type: 'internal-error', error })
      }
    }
    return undefined
  }

  /** Opens a feed from a start, or reads a page where too much lies before now. */
  async #begin(start: LogStart): Promise<ReadOccurrences | 'full'> {
    const { objects, report, holder } = this.#asking
    const { log: name, subject, type, argumentsText } = this.#admitted
    let isLost = false
    const opened = await objects.openFeed(name, {
      ...{ start, subject, holder },
      arguments: type.upstream && argumentsText,
      onOccurrences: (occurrences) => this.#take(occurrences),
      onLost: (error) => {
        if (error !== undefined) report({ type: 'internal-error', error })
        isLost = true
        this.#feed = undefined
        this.#wake()
      },
    })
    if (opened.ok) {
      const { log, position, truncated } = opened.value
      if (this.#isClosed) opened.value.close()
      if (!isLost) this.#feed = opened.value
      const at = { log, position }
      return { occurrences: [], position: at, confirms: at, truncated }
    }
    if (opened.error === 'full') return 'full'
    const page = await objects.read(name, { ...start, subject, limit: PAGE })
    const { log, occurrences, truncated } = page
    const before = (occurrences[0]?.position ?? page.position + 1) - 1
    const confirms = { log, position: before }
    return { occurrences, position: { log, position: page.position }, confirms, truncated }
  }

  /** What waits is delivered. Where it is too much, the rest is read from the log afterwards. */
  #take(occurrences: readonly LoggedOccurrence[]): void {
    for (const occurrence of occurrences) {
      this.#waiting.push(occurrence)
      this.#waitingLength += occurrence.data.length
    }
    if (this.#waitingLength > this.#maxWaiting) {
      this.#feed?.close()
      this.#feed = undefined
    }
    this.#wake()
  }
}
