/** Writes what became of an attempt: the event is settled, or due again, and the subscription may be suspended. */
import type { CallbackFault } from '../../../../../src/protocol/events.ts'
import { retryDelay } from './decide-attempt.ts'
import { countAttempt, isSuspended, type Outcomes } from './decide-suspension.ts'
import { hasCursors, reportDelivery, reportSubscription, type SubscriberParts } from './parts.ts'
import type { PendingKey, SubscriptionRow } from './schema.ts'
import type { Attempt } from './send-event.ts'
import {
  deletePending,
  pendingOf,
  savePending,
  saveSubscription,
  subscriptionIn,
} from './statements.ts'

export function settleAttempt(
  parts: SubscriberParts,
  key: PendingKey,
  attempt: Exclude<Attempt, { kind: 'ended' }>,
): void {
  const row = subscriptionIn(parts.sql, key.registration)
  if (row === undefined) return
  const { kind, reason } = attempt
  if (kind === 'failed') retry(parts, row, key, String(reason))
  else remove(parts, row, key, kind, reason)
  // Of the callback itself. What it does not want is no failure of it.
  if ('isAnswer' in attempt && kind !== 'dropped') count(parts, row, attempt.reason)
}

function retry(
  parts: SubscriberParts,
  row: SubscriptionRow,
  key: PendingKey,
  reason: string,
): void {
  const attempts = (pendingOf(parts.sql, key)?.attempts ?? 0) + 1
  const random = (parts.context.random ?? Math.random)()
  const delay = retryDelay(attempts, parts.limits.retryDelaysMs, random)
  if (delay === undefined) {
    abandon(parts, row, key, reason)
  } else {
    savePending(parts.sql, key, { attempts, begun: 0, next_at: parts.now + delay })
    reportDelivery(parts, row, { outcome: 'retried', reason })
  }
}

/** Gives an event up. The watermark passes it, so the next answer to the client says that events were lost. */
export function abandon(
  parts: SubscriberParts,
  row: SubscriptionRow,
  key: PendingKey,
  reason: string,
): void {
  if (hasCursors(parts, row.type)) saveSubscription(parts.sql, row.registration, { lost: 1 })
  remove(parts, row, key, 'abandoned', reason)
}

function remove(
  parts: SubscriberParts,
  row: SubscriptionRow,
  key: PendingKey,
  outcome: 'delivered' | 'dropped' | 'abandoned',
  reason: string | undefined,
): void {
  const pending = pendingOf(parts.sql, key)
  if (pending === undefined) return
  if (pending.data === null) saveSubscription(parts.sql, row.registration, { gap: 0 })
  deletePending(parts.sql, key)
  reportDelivery(parts, row, { outcome, ...(reason !== undefined && { reason }) })
}

/** @param fault undefined for an attempt that has succeeded */
function count(
  parts: SubscriberParts,
  row: SubscriptionRow,
  fault: CallbackFault | undefined,
): void {
  const { now } = parts
  const hasFailed = fault !== undefined
  const outcomes = countAttempt(JSON.parse(row.outcomes) as Outcomes, now, hasFailed)
  const suspends = row.state === 'active' && hasFailed && isSuspended(outcomes)
  saveSubscription(parts.sql, row.registration, {
    outcomes: JSON.stringify(outcomes),
    ...(hasFailed
      ? { last_error: fault, failed_since: row.failed_since ?? now }
      : { last_delivery_at: now, last_error: null, failed_since: null }),
    ...(suspends && { state: 'suspended' as const }),
  })
  if (suspends) reportSubscription(parts, row, { outcome: 'suspended', reason: fault })
}
