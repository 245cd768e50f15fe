/** The subscriptions of one principal, what waits for their delivery, and the deliveries. */

import type { Rows } from '../../../../../src/internal.ts'
import type { Result } from '../../../../../src/platform/result.ts'
import type { SubscriptionView } from '../../../../../src/ports/subscriptions.ts'
import type { EventError } from '../../../../../src/protocol/events.ts'
import type {
  HandedPage,
  Subscribed,
  SubscribeRequest,
  SubscriberRpc,
  SubscriptionKey,
} from '../port.ts'
import { acceptPage } from './accept.ts'
import { Deliveries } from './deliveries.ts'
import {
  endSubscriptions,
  endUnknownTypes,
  eraseSubscriptions,
  removeExpired,
  removeSubscription,
  unregister,
  unregisterSoon,
} from './endings.ts'
import {
  createParts,
  reportSubscription,
  type SubscriberContext,
  type SubscriberParts,
} from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import {
  countPending,
  deleteMarks,
  forgetSecrets,
  hasMark,
  subscriptionOf,
  subscriptions,
} from './statements.ts'
import { subscribe } from './subscribe.ts'
import { dropIfEmpty, write } from './subscriber-storage.ts'
import { subscriptionId } from './subscription-id.ts'

/**
 * Layout: one row per subscription, with its sealed secrets and caller; one per event that waits for delivery; marks of
 * verified callbacks and ended subscriptions; registrations that a log must forget. Lifetime: a subscription ends at its
 * expiry, by its client, or by the server; the tables are deleted with the last row. One alarm wakes the object for the
 * earliest of all. Trade-off: what waits is stored once per subscription, so that each is delivered, retried and dropped
 * by itself.
 */
export class Subscriber implements SubscriberRpc {
  readonly #parts: SubscriberParts
  readonly #deliveries: Deliveries

  constructor(context: SubscriberContext) {
    this.#parts = createParts(context)
    this.#deliveries = new Deliveries(this.#parts)
  }

  async subscribe(request: SubscribeRequest): Promise<Result<Subscribed, EventError>> {
    const result = await subscribe(this.#parts, request)
    // A suspended subscription has been resumed.
    this.#deliveries.beginTurn()
    return result
  }

  async unsubscribe(key: SubscriptionKey): Promise<boolean> {
    const id = await subscriptionId(this.#parts.context.principal, key)
    const sql = this.#swept()
    const row = subscriptionOf(sql, id)
    if (row === undefined) return hasMark(sql, 'ended', id, this.#parts.now)
    removeSubscription(this.#parts, row)
    reportSubscription(this.#parts, row, { outcome: 'ended', reason: 'unsubscribed' })
    unregisterSoon(this.#parts)
    return true
  }

  async accept(page: HandedPage): Promise<readonly string[]> {
    this.#swept()
    const missing = acceptPage(this.#parts, page)
    this.#deliveries.beginTurn()
    return missing
  }

  async subscriptions(): Promise<readonly SubscriptionView[]> {
    const sql = this.#swept()
    return subscriptions(sql).map((row) => viewOf(row, countPending(sql, row.registration)))
  }

  async end(reason: EventError, id?: string, grant?: string): Promise<number> {
    const rows = subscriptions(this.#swept())
    const ended = rows.filter(
      (row) =>
        (id === undefined || row.id === id) && (grant === undefined || row.grant_id === grant),
    )
    endSubscriptions(this.#parts, ended, reason)
    return ended.length
  }

  async erase(): Promise<number> {
    this.#swept()
    const count = eraseSubscriptions(this.#parts)
    await unregister(this.#parts)
    await dropIfEmpty(this.#parts.storage)
    return count
  }

  async alarm(): Promise<void> {
    const { storage, now } = this.#parts
    storage.alarm.reset()
    const sql = this.#swept()
    endUnknownTypes(this.#parts)
    write(storage, () => {
      forgetSecrets(sql, now)
      deleteMarks(sql, now)
    })
    this.#deliveries.beginTurn()
    await unregister(this.#parts)
    await dropIfEmpty(storage)
  }

  /** The tables without what has expired. */
  #swept(): Rows {
    removeExpired(this.#parts)
    return this.#parts.sql
  }
}

function viewOf(row: SubscriptionRow, pending: number): SubscriptionView {
  return {
    id: row.id,
    type: row.type,
    arguments: row.arguments,
    callback: new URL(row.url).origin,
    clientId: row.client_id ?? undefined,
    state: row.state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    pending,
    lastDeliveryAt: row.last_delivery_at ?? undefined,
    lastError: row.last_error ?? undefined,
  }
}
