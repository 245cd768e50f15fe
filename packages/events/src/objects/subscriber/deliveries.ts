/**
 * Delivers what waits in the outbox, several events at a time for each host. The time of the next attempt is written before
 * an attempt begins, so that an interrupted one is repeated, with the same id.
 *
 * The objects of an isolate share its thread: without a common bound, an occurrence for 1,000 principals began 8,000
 * attempts, which all ran into their timeout.
 */
import { retryDelay } from './decide-attempt.ts'
import { endSubscriptions } from './endings.ts'
import { PLACES, type Place } from './isolate-places.ts'
import type { SubscriberParts } from './parts.ts'
import type { PendingKey } from './schema.ts'
import { type Attempt, sendEvent } from './send-event.ts'
import { abandon, settleAttempt } from './settle-attempt.ts'
import {
  type DueSubscription,
  duePending,
  dueSubscriptions,
  nextAttempt,
  savePending,
  subscriptionIn,
} from './statements.ts'

/** Attempts at one host at the same time. */
const MAX_IN_FLIGHT = 8

/** Of a subscription whose last attempt has failed: a callback that hangs must leave the others of its host their places. */
const MAX_OF_FAILING = 1

/** At one host, of all such subscriptions: many that hang must leave places too. */
const MAX_FAILING_AT_HOST = 4

/** Attempts of one turn of the object, whose requests the platform limits. The alarm begins the next turn. */
const MAX_PER_TURN = 40

/** While the objects of the isolate make as many attempts as they may together, this one looks again after this time. */
const BUSY_MS = { least: 100, most: 300 } as const

/** An event whose attempts were interrupted this often in a row is given up: it may be the cause. */
const MAX_INTERRUPTED = 20

/** Attempts at a host. */
interface Host {
  inFlight: number
  /** Of subscriptions whose last attempt had failed. */
  failing: number
}

export class Deliveries {
  readonly #parts: SubscriberParts
  readonly #hosts = new Map<string, Host>()
  /** The keys of the rows of each subscription whose attempts are under way, as text. */
  readonly #inFlight = new Map<string, Set<string>>()
  /** Number of the attempt with which each subscription was served last, so that those of one host take turns. */
  readonly #servedAt = new Map<string, number>()
  #served = 0
  #left = MAX_PER_TURN
  #isWaiting = false

  constructor(parts: SubscriberParts) {
    this.#parts = parts
  }

  /** Begins what is due, in a new turn of the object. Waits for nothing. */
  beginTurn(): void {
    this.#left = MAX_PER_TURN
    this.#begin()
  }

  #begin(): void {
    const { sql, now } = this.#parts
    if (!PLACES.isFree()) {
      this.#waitForPlace()
      return
    }
    let waiting = dueSubscriptions(sql, now)
    if (waiting.length === 0) this.#servedAt.clear()
    while (waiting.length > 0) {
      waiting = waiting
        .sort((one, other) => this.#compare(one.registration, other.registration))
        .filter((subscription) => this.#beginNext(subscription))
    }
    this.#schedule()
  }

  /** First those with the fewest attempts under way: one that hangs does not get each place that another leaves. */
  #compare(one: string, other: string): number {
    const inFlight = (registration: string) => this.#inFlight.get(registration)?.size ?? 0
    const servedAt = (registration: string) => this.#servedAt.get(registration) ?? 0
    return inFlight(one) - inFlight(other) || servedAt(one) - servedAt(other)
  }

  /** Begins one attempt of a subscription. Returns whether it may have more that can begin. */
  #beginNext({ registration, url, last_error }: DueSubscription): boolean {
    const { storage, sql, now, limits, context } = this.#parts
    const host = this.#hostOf(url)
    const inFlight = this.#inFlight.get(registration) ?? new Set()
    const isFailing = last_error !== null
    if (host.inFlight >= MAX_IN_FLIGHT || this.#left <= 0) return false
    if (isFailing && (inFlight.size >= MAX_OF_FAILING || host.failing >= MAX_FAILING_AT_HOST)) {
      return false
    }
    if (!PLACES.isFree()) {
      this.#waitForPlace()
      return false
    }
    const row = duePending(sql, registration, now, inFlight.size + 1).find(
      (due) => !inFlight.has(textOf(due)),
    )
    if (row === undefined) return false
    const { attempts, begun } = row
    if (begun >= MAX_INTERRUPTED) {
      storage.tables.transaction(() => {
        const subscription = subscriptionIn(sql, registration)
        if (subscription) abandon(this.#parts, subscription, row, 'interrupted')
      })
      return true
    }
    const delays = limits.retryDelaysMs
    const random = (context.random ?? Math.random)()
    const pause = retryDelay(Math.min(attempts + 1, delays.length), delays, random)
    const next_at = now + (pause ?? limits.deliveryTimeoutMs)
    savePending(sql, row, { attempts, begun: begun + 1, next_at })
    this.#left -= 1
    this.#served += 1
    this.#servedAt.set(registration, this.#served)
    this.#inFlight.set(registration, inFlight.add(textOf(row)))
    host.inFlight += 1
    host.failing += Number(isFailing)
    context.state.waitUntil(this.#attempt(row, host, isFailing, PLACES.take()))
    return true
  }

  /** Looks again later, and reads no rows until then. The alarm does the same for an object that is killed meanwhile. */
  #waitForPlace(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#schedule()
    const { least, most } = BUSY_MS
    const look = async () => {
      do {
        const pause = least + Math.random() * (most - least)
        await new Promise((resolve) => setTimeout(resolve, pause))
      } while (!PLACES.isFree())
      this.#isWaiting = false
      this.#begin()
    }
    this.#parts.context.state.waitUntil(look())
  }

  /** Never rejects. */
  async #attempt(key: PendingKey, host: Host, isFailing: boolean, place: Place): Promise<void> {
    const { storage, sql, report, context } = this.#parts
    let attempt: Attempt | undefined
    try {
      // The author's functions could end the object, and with it what is not durable yet: the page of the log, and the
      // number of this attempt.
      await context.state.storage.sync()
      attempt = await sendEvent(this.#parts, key, place)
    } catch (error) {
      report({ type: 'internal-error', error })
      attempt = { kind: 'failed', reason: 'internal_error' }
    } finally {
      place.leave()
    }
    host.inFlight -= 1
    host.failing -= Number(isFailing)
    const inFlight = this.#inFlight.get(key.registration)
    inFlight?.delete(textOf(key))
    if (inFlight?.size === 0) this.#inFlight.delete(key.registration)
    if (attempt?.kind === 'ended') {
      const row = subscriptionIn(sql, key.registration)
      if (row !== undefined) endSubscriptions(this.#parts, [row], attempt.error)
    } else if (attempt !== undefined) {
      const result = attempt
      storage.tables.transaction(() => settleAttempt(this.#parts, key, result))
    }
    this.#begin()
  }

  /** Sets the alarm for the next attempt, also of those that wait for a place: an object that is killed begins nothing. */
  #schedule(): void {
    const { storage, sql, now, limits } = this.#parts
    const at = nextAttempt(sql)
    if (at === undefined) return
    const waits = at <= now && this.#left > 0
    storage.alarm.wakeAt(waits ? now + limits.deliveryTimeoutMs : at)
  }

  #hostOf(url: string): Host {
    const { host } = new URL(url)
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const created: Host = { inFlight: 0, failing: 0 }
    this.#hosts.set(host, created)
    return created
  }
}

function textOf({ registration, log, position, event_id }: PendingKey): string {
  return JSON.stringify([registration, log, position, event_id])
}
