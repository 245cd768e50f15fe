/** Stores the occurrences that the log hands over, in one transaction. */
import { randomToken } from '../../../src/platform/random-token.ts'
import type { HandedOccurrence, HandedPage } from '../../../src/ports/events.ts'
import type { EventError } from '../../../src/protocol/events.ts'
import type { Endings } from './endings.ts'
import type { SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import type { Statements } from './statements.ts'

/** Returns the registrations that do not exist any more. */
export function acceptPage(
  parts: SubscriberParts,
  endings: Endings,
  page: HandedPage,
): readonly string[] {
  const { existing } = parts.storage
  const rows = new Map(existing?.subscriptions().map((row) => [row.registration, row]))
  const named = new Set(page.entries.flatMap(({ subscriptions }) => subscriptions))
  parts.storage.update((statements) => {
    for (const registration of named) {
      const row = rows.get(registration)
      if (row !== undefined) acceptFor(parts, statements, row, page)
    }
  })
  for (const { occurrence, subscriptions } of page.entries) {
    if (occurrence.control !== 'terminated') continue
    const ended = subscriptions.flatMap((registration) => rows.get(registration) ?? [])
    endings.end(ended, JSON.parse(occurrence.data) as EventError)
  }
  return [...named].filter((registration) => !rows.has(registration))
}

function acceptFor(
  parts: SubscriberParts,
  statements: Statements,
  row: SubscriptionRow,
  { log, entries }: HandedPage,
): void {
  const { now } = parts
  const { registration } = row
  const isOtherLog = row.log !== null && row.log !== log
  // A page that is repeated has nothing new: the log hands over in order.
  const accepted = row.log === log ? row.accepted : 0
  const added = entries.filter(
    ({ occurrence, subscriptions }) =>
      occurrence.position > accepted && subscriptions.includes(registration),
  )
  const last = added.at(-1)
  if (last === undefined) return
  let lostAt = firstLoss(added)
  if (isOtherLog) lostAt ??= added[0]?.occurrence.position
  for (const { occurrence } of added) {
    const { position, eventId, timestamp, data, control } = occurrence
    if (control === 'gap') lostAt ??= position
    if (control !== undefined) continue
    statements.insertPending({
      registration,
      log,
      position,
      event_id: eventId,
      timestamp,
      data,
      next_at: now,
    })
  }
  const droppedAt = dropOldest(parts, statements, row)
  lostAt ??= droppedAt
  statements.saveSubscription(registration, { log, accepted: last.occurrence.position })
  if (lostAt === undefined || !parts.hasCursors(row.type)) return
  statements.saveSubscription(registration, { lost: 1, gap: 1 })
  if (row.gap === 1) return
  statements.insertPending({
    registration,
    log,
    position: lostAt,
    event_id: `msg_gap_${randomToken(16)}`,
    timestamp: '',
    data: null,
    next_at: now,
  })
}

/** The position of the first occurrence before which others are lost. */
function firstLoss(entries: readonly HandedOccurrence[]): number | undefined {
  return entries.find(({ truncated }) => truncated === true)?.occurrence.position
}

/** Deletes the oldest events above the limit. Returns the position of the last one; undefined when there are none. */
function dropOldest(
  parts: SubscriberParts,
  statements: Statements,
  row: SubscriptionRow,
): number | undefined {
  const { registration } = row
  const excess = statements.countPending(registration) - parts.limits.pendingPerSubscription
  if (excess <= 0) return undefined
  const dropped = statements.oldestEvents(registration, excess)
  for (const key of dropped) {
    statements.deletePending(key)
    parts.reportDelivery(row, { outcome: 'abandoned', reason: 'overflow' })
  }
  return dropped.at(-1)?.position
}
