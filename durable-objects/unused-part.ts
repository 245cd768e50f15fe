/** The part of an object that this version of the Worker has none for: it keeps the rows of the object, and serves nothing. */
import type { ObjectEvents } from '../src/ports/objects.ts'

/** How long its alarms are deferred: at first, and at most. */
const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 60 * 60 * 1000

/** The delay of the last alarm in milliseconds, beside the rows of the kind. */
const DELAY = 'edgeway:unused-alarm-delay'

/** The status of its answer to a request for a socket. No part has it. */
export const NOT_IN_VERSION_STATUS = 421

/** Has each event of the platform. */
export class UnusedPart implements Required<ObjectEvents> {
  readonly #storage: DurableObjectStorage

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage
  }

  fetch(): Response {
    return new Response(null, { status: NOT_IN_VERSION_STATUS })
  }

  /**
   * The platform forgets an alarm that has run, so one that is due is deferred: each time by twice the last delay, and at
   * most by an hour. An object whose feature returns goes on after an hour at the latest.
   */
  alarm(): Promise<void> {
    const { kv } = this.#storage
    const last = kv.get<number>(DELAY)
    const delay = last === undefined ? FIRST_DELAY_MS : Math.min(last * 2, LONGEST_DELAY_MS)
    kv.put(DELAY, delay)
    return this.#storage.setAlarm(Date.now() + delay)
  }

  webSocketMessage(): void {}

  webSocketClose(): void {}

  webSocketError(): void {}
}
