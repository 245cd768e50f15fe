/** The end of subscriptions: their rows are deleted at once, then the log deletes their registrations and the client receives `terminated`. */

import type { EndReason } from '../../../src/ports/events.ts'
import { eventErrorObject } from '../../../src/protocol/event-errors.ts'
import { inParallel } from '../in-parallel.ts'
import { sendMessage } from './callback-post.ts'
import { logNameOf, type SubscriberParts } from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
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

/** How long the end of a subscription is remembered. */
const ENDED_MS = 24 * 60 * 60_000

/** The pause after the first attempt to unregister. Each further one is twice as long, up to an hour. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60 * 60_000

/** Messages that are sent to callbacks at the same time. */
const MAX_TERMINATING = 8

export class Endings {
  readonly #parts: SubscriberParts

  constructor(parts: SubscriberParts) {
    this.#parts = parts
  }

  /**
   * Deletes a subscription with everything that waits for its delivery.
   *
   * @param wasUsed whether it is remembered, and its log may know it. Default true
   */
  remove(row: SubscriptionRow, wasUsed = true): void {
    const { storage, sql, now } = this.#parts
    storage.write(() => {
      deleteSubscription(sql, row.registration)
      if (!wasUsed) return
      putMark(sql, 'ended', row.id, now + ENDED_MS)
      this.#forget(row)
    })
  }

  /** Its log forgets a registration, whose row is gone. */
  forget(row: SubscriptionRow): void {
    const { storage } = this.#parts
    storage.create()
    storage.write(() => this.#forget(row))
  }

  /** Removes subscriptions that end without their client. Sends `terminated` once, to those that were active. */
  end(rows: readonly SubscriptionRow[], reason: EndReason): void {
    if (rows.length === 0) return
    for (const row of rows) {
      this.remove(row)
      this.#parts.reportSubscription(row, { outcome: 'ended', reason: reason.name })
    }
    const terminate = (row: SubscriptionRow) => this.#terminate(row, reason).catch(() => undefined)
    this.#parts.context.state.waitUntil(inParallel(rows, terminate, undefined, MAX_TERMINATING))
    this.unregisterSoon()
  }

  /** Removes what has expired. Called before rows are read, so that what has expired has no effect. */
  sweep(now: number): void {
    const rows = lapsed(this.#parts.sql, now)
    for (const row of rows) {
      this.remove(row)
      const outcome = row.secret === null ? 'refused' : 'expired'
      this.#parts.reportSubscription(row, { outcome })
    }
    if (rows.length > 0) this.unregisterSoon()
  }

  /** Removes everything that is stored about the principal, but for what the log must still forget. */
  erase(): number {
    const { storage, sql } = this.#parts
    const rows = subscriptions(sql)
    storage.write(() => {
      deleteAll(sql)
      for (const row of rows) this.#forget(row)
    })
    for (const row of rows) {
      this.#parts.reportSubscription(row, { outcome: 'ended', reason: 'erased' })
    }
    return rows.length
  }

  unregisterSoon(): void {
    this.#parts.context.state.waitUntil(this.unregister())
  }

  /** Lets the log forget what is due. A failure is repeated by the alarm. Never rejects. */
  async unregister(): Promise<void> {
    const { storage, sql, context, now } = this.#parts
    await Promise.all(
      dueUnregistrations(sql, now).map(async ({ registration, type, subject, attempts }) => {
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS)
        // Written first, so that a second turn does not repeat what is under way.
        storage.write(() => {
          saveUnregistration(sql, registration, { attempts: attempts + 1, next_at: now + pause })
        })
        try {
          await context.log.unregister({ type, subject: subject ?? undefined }, registration)
          storage.write(() => deleteUnregistration(sql, registration))
        } catch (error) {
          // The log object may be unreachable for a moment.
          if (attempts > 0) this.#parts.report({ type: 'internal-error', error })
        }
      }),
    )
  }

  #forget(row: SubscriptionRow): void {
    const { type, subject = null } = logNameOf(row)
    const { registration } = row
    const forgotten = { registration, type, subject, next_at: this.#parts.now }
    this.#parts.sql.insert('unregistrations', forgotten, 'INSERT OR REPLACE')
  }

  async #terminate(row: SubscriptionRow, reason: EndReason): Promise<void> {
    const { secrets, now } = this.#parts
    // A callback that was never verified receives nothing.
    if (row.secret === null || !(await this.#parts.checkCallback(row.url)).ok) return
    const error = eventErrorObject(reason, row.profile)
    const keys = await secrets.keysOf(row, now)
    await sendMessage(this.#parts, row, { type: 'terminated', error }, keys)
  }
}
