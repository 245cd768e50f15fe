/** The end of subscriptions: their rows are deleted at once, then the log deletes their registrations and the client receives `terminated`. */

import { eventErrorObject, unknownEvent } from '../../../../../src/protocol/event-errors.ts'
import type { EventError } from '../../../../../src/protocol/events.ts'
import { checkCallback } from '../callback-rules.ts'
import { inParallel } from '../in-parallel.ts'
import { retryPauseMs } from '../retry-pause.ts'
import { sendMessage } from './callback-post.ts'
import { logNameOf, policyOf, reportSubscription, type SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import { signingKeys } from './secrets.ts'
import {
  deleteAll,
  deleteSubscription,
  deleteUnregistration,
  dueUnregistrations,
  lapsed,
  putMark,
  saveUnregistration,
  subscriptions,
} from './statements.ts'
import { createTables, write } from './subscriber-storage.ts'

/** How long the end of a subscription is remembered. */
const ENDED_MS = 24 * 60 * 60_000

/** The pause after the first attempt to unregister. */
const FIRST_PAUSE_MS = 1_000

/** Messages that are sent to callbacks at the same time. */
const MAX_TERMINATING = 8

/**
 * Deletes a subscription with everything that waits for its delivery.
 *
 * @param wasUsed whether it is remembered, and its log may know it. Default true
 */
export function removeSubscription(
  parts: SubscriberParts,
  row: SubscriptionRow,
  wasUsed = true,
): void {
  const { storage, sql, now } = parts
  write(storage, () => {
    deleteSubscription(sql, row.registration)
    if (!wasUsed) return
    putMark(sql, 'ended', row.id, now + ENDED_MS)
    insertUnregistration(parts, row)
  })
}

/** Its log forgets a registration, whose row is gone. */
export function forgetRegistration(parts: SubscriberParts, row: SubscriptionRow): void {
  createTables(parts.storage)
  write(parts.storage, () => insertUnregistration(parts, row))
}

/** Removes subscriptions that end without their client. Sends `terminated` once, to those that were active. */
export function endSubscriptions(
  parts: SubscriberParts,
  rows: readonly SubscriptionRow[],
  reason: EventError,
): void {
  if (rows.length === 0) return
  for (const row of rows) {
    const call = parts.calls.get(row.operation ?? '')
    if (call !== undefined) call.ended = reason
    removeSubscription(parts, row)
    reportSubscription(parts, row, { outcome: 'ended', reason: reason.name })
  }
  const end = (row: SubscriptionRow) => terminate(parts, row, reason).catch(() => undefined)
  parts.context.state.waitUntil(inParallel(rows, end, undefined, MAX_TERMINATING))
  unregisterSoon(parts)
}

/**
 * Removes what has expired, unless it is being refreshed. Called before rows are read, so that what has expired has no
 * effect.
 */
export function removeExpired(parts: SubscriberParts): void {
  const rows = lapsed(parts.sql, parts.now)
  for (const row of rows) {
    removeSubscription(parts, row)
    const outcome = row.secret === null ? 'refused' : 'expired'
    reportSubscription(parts, row, { outcome })
  }
  if (rows.length > 0) unregisterSoon(parts)
}

/** Ends the subscriptions to types that the app does not have any more, of which the log hands nothing over. */
export function endUnknownTypes(parts: SubscriberParts): void {
  const { types } = parts.context.host
  const ended = subscriptions(parts.sql).filter(({ type }) => types.get(type) === undefined)
  endSubscriptions(parts, ended, unknownEvent)
}

/** Removes everything that is stored about the principal, but for what the log must still forget. Returns the number of subscriptions. */
export function eraseSubscriptions(parts: SubscriberParts): number {
  const { storage, sql } = parts
  const rows = subscriptions(sql)
  write(storage, () => {
    deleteAll(sql)
    for (const row of rows) insertUnregistration(parts, row)
  })
  for (const row of rows) reportSubscription(parts, row, { outcome: 'ended', reason: 'erased' })
  return rows.length
}

export function unregisterSoon(parts: SubscriberParts): void {
  parts.context.state.waitUntil(unregister(parts))
}

/** Lets the log forget what is due. A failure is repeated by the alarm. Never rejects. */
export async function unregister({
  storage,
  sql,
  context,
  now,
  report,
}: SubscriberParts): Promise<void> {
  await Promise.all(
    dueUnregistrations(sql, now).map(async ({ registration, type, subject, attempts }) => {
      const begun = attempts + 1
      const next_at = now + retryPauseMs(FIRST_PAUSE_MS, begun)
      // Written first, so that a second turn does not repeat what is under way.
      write(storage, () => {
        saveUnregistration(sql, registration, { attempts: begun, next_at })
      })
      try {
        await context.log.unregister({ type, subject: subject ?? undefined }, registration)
        write(storage, () => deleteUnregistration(sql, registration))
      } catch (error) {
        // The log object may be unreachable for a moment.
        if (attempts > 0) report({ type: 'internal-error', error })
      }
    }),
  )
}

function insertUnregistration({ sql, now }: SubscriberParts, row: SubscriptionRow): void {
  const { type, subject = null } = logNameOf(row)
  const forgotten = { registration: row.registration, type, subject, next_at: now }
  sql.insert('unregistrations', forgotten, 'INSERT OR REPLACE')
}

async function terminate(
  parts: SubscriberParts,
  row: SubscriptionRow,
  reason: EventError,
): Promise<void> {
  // A callback that was never verified receives nothing.
  if (row.secret === null || !(await checkCallback(row.url, policyOf(parts))).ok) return
  const error = eventErrorObject(reason, row.profile)
  const keys = await signingKeys(parts, row)
  await sendMessage(parts, row, { type: 'terminated', error }, keys)
}
