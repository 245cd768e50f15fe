/**
 * Delivers what waits in the outbox, several events at a time for each host. The time of the next attempt is written before
 * an attempt begins, so that an interrupted one is repeated, with the same id.
 */
import { transaction } from '../event-storage.ts'
import { retryDelay } from './decide-attempt.ts'
import { endSubscriptions } from './endings.ts'
import { PLACES, type Place } from './isolate-places.ts'
import type { SubscriberParts } from './parts.ts'
import type { OutboxKey } from './schema.ts'
import { type Attempt, sendEvent } from './send-event.ts'
import { abandon, settleAttempt } from './settle-attempt.ts'
import { deliverable, duePending, nextAttempt, registered, savePending } from './statements.ts'

/** Attempts at one host at the same time. */
const MAX_IN_FLIGHT = 8

/** At a host whose last attempt has failed: a host that hangs must not occupy all connections of the object. */
const MAX_AT_FAILING_HOST = 1

/** Attempts of one turn of the object, whose requests the platform limits. The alarm begins the next turn. */
const MAX_PER_TURN = 40

/** While the objects of the isolate make as many attempts as they may together, this one looks again after this time. */
const BUSY_MS = { least: 100, most: 300 } as const

/** An event whose attempts were interrupted this often in a row is given up: it may be the cause. */
const MAX_INTERRUPTED = 20

interface Host {
  /** The keys of the rows, as text. */
  readonly inFlight: Set<string>
  isFailing: boolean
}

export class Deliveries {
  readonly #parts: SubscriberParts
  readonly #hosts = new Map<string, Host>()
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
    const served = ({ registration }: { readonly registration: string }) =>
      this.#servedAt.get(registration) ?? 0
    let waiting = deliverable(sql, now)
    if (waiting.length === 0) this.#servedAt.clear()
    while (waiting.length > 0) {
      waiting = waiting
        .sort((one, other) => served(one) - served(other))
        .filter(({ registration, url }) => this.#beginNext(registration, url))
    }
    this.#schedule()
  }

  /** Begins one attempt of a subscription. Returns whether it may have more that can begin. */
  #beginNext(registration: string, url: string): boolean {
    const { storage, sql, now, limits, context } = this.#parts
    const host = this.#hostOf(url)
    const { inFlight, isFailing } = host
    const most = isFailing ? MAX_AT_FAILING_HOST : MAX_IN_FLIGHT
    if (inFlight.size >= most || this.#left <= 0) return false
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
      transaction(storage, () => {
        const subscription = registered(sql, registration)
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
    inFlight.add(textOf(row))
    context.state.waitUntil(this.#attempt(row, host, PLACES.take()))
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
  async #attempt(key: OutboxKey, host: Host, place: Place): Promise<void> {
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
    host.inFlight.delete(textOf(key))
    if (attempt !== undefined && 'isAnswer' in attempt) host.isFailing = attempt.kind === 'failed'
    if (attempt?.kind === 'ended') {
      const row = registered(sql, key.registration)
      if (row !== undefined) endSubscriptions(this.#parts, [row], attempt.error)
    } else if (attempt !== undefined) {
      const result = attempt
      transaction(storage, () => settleAttempt(this.#parts, key, result))
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
    const created: Host = { inFlight: new Set(), isFailing: false }
    this.#hosts.set(host, created)
    return created
  }
}

function textOf({ registration, log, position, event_id }: OutboxKey): string {
  return JSON.stringify([registration, log, position, event_id])
}
