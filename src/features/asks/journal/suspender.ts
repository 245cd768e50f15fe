/**
 * Suspends a round from outside with its open asks and waits, as soon as its handler cannot continue: it has
 * made all its asks, and no step is running.
 */

import type { Suspension } from '../../../dispatch/journal/suspension.ts'
import type { Wait } from '../../../dispatch/journal/wait.ts'
import { passTurns } from '../../../platform/microtask-turns.ts'
import type { JsonObject } from '../../../protocol/json.ts'

/** Maximum number of open asks and waits. */
export const MAX_OPEN = 32

/** The requests of asks, by key. */
export type AskRequests = Readonly<Record<string, JsonObject>>

export class Suspender {
  readonly #interrupt: (reason: Error) => void
  readonly #suspensionOf: (requests: AskRequests) => Suspension
  readonly #asks = new Map<string, JsonObject>()
  readonly #waits = new Map<string, Wait>()
  #runningSteps = 0
  #gathering = false
  #hasEnded = false

  /** @param suspensionOf creates the reason of a suspension that has no other */
  constructor(
    interrupt: (reason: Error) => void,
    suspensionOf: (requests: AskRequests) => Suspension,
  ) {
    this.#interrupt = interrupt
    this.#suspensionOf = suspensionOf
  }

  /** Whether the round has been suspended or closed. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get waits(): Readonly<Record<string, Wait>> {
    return Object.fromEntries(this.#waits)
  }

  /**
   * @param held open waits that do not suspend the round
   * @throws {TypeError} when no further ask or wait can be opened
   */
  checkRoom(held = 0): void {
    if (this.#asks.size + this.#waits.size + held >= MAX_OPEN)
      throw new TypeError(`At most ${MAX_OPEN} asks can be open at the same time`)
  }

  openAsk(key: string, request: JsonObject): void {
    this.#asks.set(key, request)
    void this.#gather()
  }

  openWait(key: string, wait: Wait): void {
    this.#waits.set(key, wait)
    void this.#gather()
  }

  enterStep(): void {
    this.#runningSteps++
  }

  leaveStep(): void {
    this.#runningSteps--
    if (this.#isOpen) void this.#gather()
  }

  /** Suspends the round until one of the waits ends, without its asks. */
  suspendUntil(waits: Readonly<Record<string, Wait>>): void {
    for (const [key, wait] of Object.entries(waits)) this.#waits.set(key, wait)
    this.end(this.#suspensionOf({}))
  }

  /** Ends the round, unless it has ended. */
  end(reason: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#interrupt(reason)
  }

  /** Ends without a suspension. Returns the keys of asks and waits that a running step has held back. */
  close(): readonly string[] {
    const isHeldBack = !this.#hasEnded && this.#runningSteps > 0
    this.#hasEnded = true
    return isHeldBack ? [...this.#asks.keys(), ...this.#waits.keys()] : []
  }

  get #isOpen(): boolean {
    return this.#asks.size + this.#waits.size > 0
  }

  /** Lets the handler reach its other asks and steps, then ends the run. */
  async #gather(): Promise<void> {
    if (this.#gathering) return
    this.#gathering = true
    await passTurns('gather')
    this.#gathering = false
    // A running step must complete: it runs once, so its result must be in the journal.
    if (this.#hasEnded || this.#runningSteps > 0) return
    this.end(this.#suspensionOf(Object.fromEntries(this.#asks)))
  }
}

/** Returns a promise that never settles; a new one each time: a shared one would retain everything that waits for it. */
export const never = (): Promise<never> => new Promise(() => undefined)
