/** Stores the occurrences that the log hands over, in one transaction. */

import { randomToken } from '../../../../../src/platform/random-token.ts'
import type { EventError } from '../../../../../src/protocol/events.ts'
import { storedBytes } from '../event-storage.ts'
import type { HandedPage } from '../port.ts'
import { endSubscriptions } from './endings.ts'
import { hasCursors, reportDelivery, type SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import {
  countPending,
  deletePending,
  insertPending,
  oldestEvents,
  saveSubscription,
  subscriptions,
} from './statements.ts'
import { write } from './subscriber-storage.ts'

/** Returns the registrations that do not exist any more. */
export function acceptPage(parts: SubscriberParts, page: HandedPage): readonly string[] {
  const rows = new Map(subscriptions(parts.sql).map((row) => [row.registration, row]))
  const named = [...new Set(page.entries.flatMap((entry) => entry.subscriptions))]
  write(parts.storage, () => {
    for (const registration of named) {
      const row = rows.get(registration)
      if (row !== undefined) acceptFor(parts, row, page)
    }
  })
  for (const { occurrence, subscriptions: ids } of page.entries) {
    if (occurrence.control !== 'terminated') continue
    const at = Date.parse(occurrence.timestamp)
    // One that begins with an earlier cursor was none of those that the author has ended.
    const ended = ids
      .flatMap((registration) => rows.get(registration) ?? [])
      .filter((row) => row.created_at <= at)
    endSubscriptions(parts, ended, JSON.parse(occurrence.data) as EventError)
  }
  return named.filter((registration) => !rows.has(registration))
}

function acceptFor(
  parts: SubscriberParts,
  row: SubscriptionRow,
  { log, entries }: HandedPage,
): void {
  const { now, sql } = parts
  const { registration } = row
  const insert = (position: number, event_id: string, timestamp: string, data: string | null) =>
    insertPending(sql, { registration, log, position, event_id, timestamp, data, next_at: now })
  // A page that is repeated has nothing new: the log hands over in order.
  let accepted = row.log === log ? row.accepted : 0
  let isLost = row.log !== null && row.log !== log
  let lostAt: number | undefined
  let added = 0
  for (const { occurrence, subscriptions: ids, truncated } of entries) {
    const { position, eventId, timestamp, data, control } = occurrence
    if (position <= accepted || !ids.includes(registration)) continue
    added += 1
    accepted = position
    isLost ||= truncated === true || control === 'gap'
    if (isLost) lostAt ??= position
    if (control === undefined) insert(position, eventId, timestamp, data)
  }
  if (added === 0) return
  const droppedAt = dropOldest(parts, row, added)
  lostAt ??= droppedAt
  const hasLost = lostAt !== undefined && hasCursors(parts, row.type)
  saveSubscription(sql, registration, { log, accepted, ...(hasLost && { lost: 1, gap: 1 }) })
  if (lostAt === undefined || !hasLost || row.gap === 1) return
  insert(lostAt, `msg_gap_${randomToken(16)}`, '', null)
}

/** Deletes the oldest events above the limit. Returns the position of the last one; undefined when there are none. */
function dropOldest(
  parts: SubscriberParts,
  row: SubscriptionRow,
  added: number,
): number | undefined {
  const { registration } = row
  const { pendingPerSubscription, bytesPerObject } = parts.limits
  const above = countPending(parts.sql, registration) - pendingPerSubscription
  // More than came, so that the storage shrinks.
  const excess = Math.max(above, storedBytes(parts.storage) > bytesPerObject ? 2 * added : 0)
  if (excess <= 0) return undefined
  const dropped = oldestEvents(parts.sql, registration, excess)
  for (const key of dropped) {
    deletePending(parts.sql, key)
    reportDelivery(parts, row, { outcome: 'abandoned', reason: 'overflow' })
  }
  return dropped.at(-1)?.position
}
