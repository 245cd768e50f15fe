/**
 * How many attempts the objects of one isolate make at the same time. They share its thread and its memory: without a
 * limit, an occurrence for many principals begins thousands of attempts at once, which wait for the thread until they time
 * out, and are repeated. A request counts for two seconds at most, so that callbacks that hang leave places to others.
 */

const MAX_PLACES = 128

/** Of an attempt whose request was sent, unless it is answered earlier. */
const SENT_MS = 2_000

/** Of one that is prepared: an object that is reset meanwhile gives no place back. */
const PREPARED_MS = 5_000

export interface Place {
  sent(now?: number): void
  leave(): void
}

/** Times are those of the isolate, in milliseconds. */
export class Places {
  /** Until when each attempt counts. */
  readonly #taken = new Map<object, number>()

  /** Whether another attempt may begin. */
  isFree(now = performance.now()): boolean {
    if (this.#taken.size < MAX_PLACES) return true
    for (const [place, until] of this.#taken) {
      if (until <= now) this.#taken.delete(place)
    }
    return this.#taken.size < MAX_PLACES
  }

  take(now = performance.now()): Place {
    const taken = this.#taken
    const place = {
      sent: (at = performance.now()) => void taken.set(place, at + SENT_MS),
      leave: () => void taken.delete(place),
    }
    taken.set(place, now + PREPARED_MS)
    return place
  }
}

/** Of this isolate. */
export const PLACES = new Places()
