/** Hands a part of the log to the object of one principal, and stores what follows from its answer. */

import type { Rows } from '../../../../../src/internal.ts'
import { withDeadline } from '../../../../../src/platform/deadline.ts'
import type { HandedOccurrence, HandedPage } from '../port.ts'
import { retryPauseMs } from '../retry-pause.ts'
import type { LogStorage, OpenLog } from './log-storage.ts'
import type { Matching } from './matching.ts'
import { occurrenceOf, type Range } from './read-log.ts'
import type { OccurrenceRow, RegistrationRow } from './schema.ts'
import { deleteRegistration, isRegistered, lastPosition, saveRegistration } from './statements.ts'

/** Resolves when the object of the principal has stored the page, with the ids that it does not have. */
export type Accept = (principal: string, page: HandedPage) => Promise<readonly string[]>

const ACCEPT_TIMEOUT_MS = 5_000

/** The pause after the first attempt. */
const FIRST_PAUSE_MS = 10_000

/** An occurrence at which the author's `matches` throws is tried again so often, then it is left out. */
const MAX_FAULTS = 5

/** What a part of the log has for one registration. */
export interface Share {
  readonly registration: RegistrationRow
  /** From where it was read. */
  readonly after: number
  /** Up to where it was read: before the occurrence at which `matches` has thrown, if it has. */
  readonly end: number
  readonly rows: readonly OccurrenceRow[]
  readonly faults: number
}

/** @param onFault gets what the author's `matches` has thrown */
export async function shareOf(
  registration: RegistrationRow,
  { rows, end }: Range,
  after: number,
  matching: Matching,
  onFault: (error: unknown) => void,
): Promise<Share> {
  const { subject, arguments: text, position, faults } = registration
  const begin = Math.max(after, position)
  const own: OccurrenceRow[] = []
  for (const row of rows) {
    if (row.position <= position || (row.subject !== null && row.subject !== subject)) continue
    try {
      if (await matching.matches(text, row)) own.push(row)
    } catch (error) {
      onFault(error)
      const before = row.position - 1
      const earlier = before === position ? faults : 0
      if (earlier >= MAX_FAULTS) continue
      return { registration, after: begin, end: before, rows: own, faults: earlier + 1 }
    }
  }
  return { registration, after: begin, end: Math.max(end, begin), rows: own, faults: 0 }
}

/**
 * Calls the object of the principal if a share has occurrences. Its failure makes the registrations late, from where the
 * shares begin. Nothing is stored for a registration on time whose share was accepted.
 */
export async function handOver(
  storage: LogStorage,
  { sql, log }: OpenLog,
  accept: Accept,
  shares: readonly Share[],
): Promise<void> {
  const { principal } = shares[0]?.registration ?? {}
  // While `matches` was awaited, registrations may have ended, or begun anew from another position.
  const present = shares.filter(({ registration }) => isRegistered(sql, registration.number))
  const entries = entriesOf(present)
  let gone: readonly string[] = []
  let isAccepted = true
  if (principal !== undefined && entries.length > 0) {
    const { name, type, subject } = log
    const page: HandedPage = {
      name: { type, subject: subject ?? undefined },
      log: name,
      entries,
    }
    try {
      gone = await withDeadline(ACCEPT_TIMEOUT_MS, accept(principal, page), () => {
        throw new DOMException('The object of a principal did not answer in time', 'TimeoutError')
      })
    } catch (error) {
      storage.report({ type: 'internal-error', error })
      isAccepted = false
    }
  }
  storage.tables.transaction(() => {
    for (const share of present) settle(sql, storage.now, share, isAccepted, gone)
  })
}

function settle(
  sql: Rows,
  now: number,
  { registration, after, end, rows, faults }: Share,
  isAccepted: boolean,
  gone: readonly string[],
): void {
  const { number, id, late_since, lost } = registration
  const save = (columns: Partial<RegistrationRow>) => saveRegistration(sql, number, columns)
  if (gone.includes(id)) {
    deleteRegistration(sql, number)
  } else if (!isAccepted) {
    const failures = registration.failures + 1
    const retry_at = now + retryDelayMs(failures)
    save({ position: after, lost, failures, retry_at, late_since: late_since ?? now })
  } else if (late_since !== null || faults > 0) {
    const isBehind = end < lastPosition(sql)
    const retry_at = faults > 0 ? now + retryDelayMs(faults) : isBehind ? now : null
    save({
      position: end,
      lost: rows.length > 0 ? 0 : lost,
      failures: 0,
      faults,
      retry_at,
      late_since: retry_at === null ? null : now,
    })
  } else if (lost === 1 && rows.length > 0) {
    save({ lost: 0 })
  }
}

/** In order; a registration that has lost occurrences gets an entry of its own for its first one. */
function entriesOf(shares: readonly Share[]): HandedOccurrence[] {
  const entries = new Map<number, HandedOccurrence & { readonly subscriptions: string[] }>()
  for (const { registration, rows } of shares) {
    for (const [index, row] of rows.entries()) {
      const hasLost = index === 0 && registration.lost === 1
      const place = 2 * row.position + Number(!hasLost)
      const entry = entries.get(place) ?? {
        occurrence: occurrenceOf(row),
        subscriptions: [],
        ...(hasLost && { truncated: true }),
      }
      entries.set(place, entry)
      entry.subscriptions.push(registration.id)
    }
  }
  return [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry)
}

export function retryDelayMs(failures: number): number {
  return retryPauseMs(FIRST_PAUSE_MS, failures)
}
