/**
 * Reads the log of an event type for one stream: what lies before it in pages, then what occurs. A feed that is lost is
 * opened again at the last position, and so is one that was closed because its client reads too slowly.
 */
import type { EventLimits } from '../../../durable-objects/events/event-settings.ts'
import type { LogFeed, LoggedOccurrence, LogPosition, LogStart } from '../../ports/events.ts'
import { exhausted } from '../../protocol/event-errors.ts'
import type { Admitted } from './admit.ts'
import type { EventCaller } from './event-caller.ts'
import { eventError } from './event-error.ts'
import { leaseUpstream } from './lease-upstream.ts'

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

export interface LogReader {
  /** What is read, until `close`, or until the log cannot be reached any more. */
  pages(): AsyncGenerator<ReadOccurrences, undefined>
  /** Up to where the stream has delivered everything; undefined before it has begun. */
  position(): LogPosition | undefined
  close(): void
}

export interface LogReaderOptions {
  readonly start: LogStart
  readonly limits: Pick<EventLimits, 'streamsPerPrincipal' | 'upstreamsPerPrincipal'>
  /** UTF-16 code units of data that wait for a slow client before the feed is closed. */
  readonly maxWaiting: number
}

/**
 * Opens the feed. Rejects when the log cannot be reached.
 *
 * @throws {ProtocolError} when the caller has too many streams, or needs too many listeners at the upstream
 */
export async function openLogReader(
  asking: EventCaller,
  admitted: Admitted,
  { start, limits, maxWaiting }: LogReaderOptions,
): Promise<LogReader> {
  const { objects, profile, report, holder } = asking
  const { log: name, subject, type, argumentsText } = admitted
  const waiting: LoggedOccurrence[] = []
  let waitingLength = 0
  let feed: LogFeed | undefined
  let position: LogPosition | undefined
  let isClosed = false
  let wake = () => {}

  /** What waits is delivered, and the rest is read from the log afterwards. */
  const drop = () => {
    feed?.close()
    feed = undefined
  }

  /** Listens from a start, or reads a page where too much lies before now. */
  const begin = async (from: LogStart): Promise<ReadOccurrences | 'full'> => {
    let isLost = false
    const opened = await objects.listen(name, {
      start: from,
      subject,
      holder,
      arguments: type.upstream && argumentsText,
      onOccurrences: (occurrences) => {
        for (const occurrence of occurrences) {
          waiting.push(occurrence)
          waitingLength += occurrence.data.length
        }
        if (waitingLength > maxWaiting) drop()
        wake()
      },
      onLost: (error) => {
        if (error !== undefined) report({ type: 'internal-error', error })
        isLost = true
        feed = undefined
        wake()
      },
    })
    if (opened.ok) {
      const { log, truncated } = opened.value
      if (isClosed) opened.value.close()
      if (!isLost) feed = opened.value
      const at = { log, position: opened.value.position }
      return { occurrences: [], position: at, confirms: at, truncated }
    }
    if (opened.error === 'full') return 'full'
    const page = await objects.read(name, { ...from, subject, limit: PAGE })
    const { log, occurrences, truncated } = page
    const before = (occurrences[0]?.position ?? page.position + 1) - 1
    const confirms = { log, position: before }
    return { occurrences, position: { log, position: page.position }, confirms, truncated }
  }

  const reopen = async (): Promise<ReadOccurrences | undefined> => {
    for (const delay of REOPEN_MS) {
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
      if (isClosed) return undefined
      try {
        const began = await begin({ after: position, maxAgeMs: undefined })
        if (began === 'full') continue
        return began.truncated ? began : { ...began, confirms: undefined }
      } catch (error) {
        report({ type: 'internal-error', error })
      }
    }
    return undefined
  }

  const next = async (): Promise<ReadOccurrences | undefined> => {
    while (waiting.length === 0 && feed !== undefined && !isClosed) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const occurrences = waiting.splice(0)
    waitingLength = 0
    const last = occurrences.at(-1)
    const log = position?.log
    if (last === undefined || log === undefined) return isClosed ? undefined : reopen()
    const at = { log, position: last.position }
    return { occurrences, position: at, confirms: undefined, truncated: false }
  }

  await leaseUpstream(asking, admitted, limits)
  const first = await begin(start)
  if (first === 'full') throw eventError(exhausted('streams', limits.streamsPerPrincipal), profile)
  return {
    position: () => position,
    async *pages() {
      for (let page: ReadOccurrences | undefined = first; !isClosed; page = await next()) {
        if (page === undefined) return undefined
        yield page
        position = page.position
      }
    },
    close() {
      isClosed = true
      feed?.close()
      wake()
    },
  }
}
