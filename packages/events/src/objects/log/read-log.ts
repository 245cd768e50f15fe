/** Where a reader of the log begins, and the parts that are read. */
import type { LoggedOccurrence, LogPage, LogQuery, LogStart } from '../port.ts'
import { type LogStorage, MIN_KEEP_MS, type OpenLog } from './log-storage.ts'
import type { OccurrenceRow } from './schema.ts'
import { lastPosition, positionBefore } from './statements.ts'

/** UTF-16 code units of data in one page. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

export interface Beginning {
  readonly log: string
  /** The newest position. */
  readonly last: number
  readonly after: number
  readonly truncated: boolean
}

/**
 * The name that a log has before its first row. It belongs to this object alone, and its position 0 is before the first
 * occurrence.
 */
export function nameBeforeRows({ id }: Pick<DurableObjectState, 'id'>): string {
  return id.toString().slice(0, 16)
}

/**
 * Without a position, from now. A position that is pruned begins at the oldest occurrence; one of another log, or ahead of
 * this one after a restore, begins now.
 *
 * @param historyMs 0: nothing is replayed but what a stream that reconnects has missed, and no loss is reported
 */
export function beginningOf(
  { state, now }: Pick<LogStorage, 'state' | 'now'>,
  open: OpenLog | undefined,
  { after: from, maxAgeMs }: LogStart,
  historyMs: number,
): Beginning {
  const first = nameBeforeRows(state)
  const last = open === undefined ? 0 : lastPosition(open.sql)
  const log = open?.log.name ?? first
  if (from === undefined) return { log, last, after: last, truncated: false }
  const isFirst = from.log === first && from.position === 0
  if (open === undefined || !(isFirst || from.log === log) || from.position > last) {
    const truncated = historyMs > 0 && !(open === undefined && isFirst)
    return { log, last, after: last, truncated }
  }
  // Rows are deleted some time after the history has passed.
  const since =
    now - Math.min(maxAgeMs ?? Number.POSITIVE_INFINITY, Math.max(historyMs, MIN_KEEP_MS))
  const after = positionBefore(open.sql, from.position, since)
  return { log, last, after, truncated: historyMs > 0 && after > from.position }
}

export interface Range {
  readonly rows: readonly OccurrenceRow[]
  /** Up to where the log was read. */
  readonly end: number
  readonly hasMore: boolean
}

/** @param length the most UTF-16 code units of data. The first occurrence always fits */
export function readRange(
  { sql }: Pick<OpenLog, 'sql'>,
  after: number,
  limit: number,
  length: number,
): Range {
  const rows: OccurrenceRow[] = []
  let read = 0
  for (const row of sql.occurrencesAfter(after)) {
    read += row.data.length
    const previous = rows.at(-1)
    if (previous !== undefined && (rows.length >= limit || read > length)) {
      return { rows, end: previous.position, hasMore: true }
    }
    rows.push(row)
  }
  return { rows, end: Math.max(after, lastPosition(sql)), hasMore: false }
}

export function readPage(
  open: OpenLog | undefined,
  { log, after, truncated }: Beginning,
  { limit, subject }: Pick<LogQuery, 'limit' | 'subject'>,
): LogPage {
  const range = open && readRange(open, after, limit, MAX_PAGE_LENGTH)
  return {
    log,
    occurrences: visibleTo(range?.rows ?? [], subject),
    position: range?.end ?? after,
    hasMore: range?.hasMore ?? false,
    truncated,
  }
}

/** The occurrences for everyone, and those for the person. */
export function visibleTo(
  rows: readonly OccurrenceRow[],
  subject: string | undefined,
): LoggedOccurrence[] {
  return rows.filter((row) => row.subject === null || row.subject === subject).map(occurrenceOf)
}

export function occurrenceOf(row: OccurrenceRow): LoggedOccurrence {
  const { position, event_id: eventId, timestamp, data, subject, control } = row
  return {
    position,
    eventId,
    timestamp,
    data,
    subject: subject ?? undefined,
    ...(control !== null && { control }),
  }
}
