/** The one alarm of an object: it is moved to an earlier time, and to a later one only when the object says so. In memory, so that nothing is awaited between a write and its alarm. */

/**
 * How late an alarm may be before it is set again. One that the platform has lost never fires, and each later one would be
 * taken for the later of two.
 */
const OVERDUE_MS = 2_000

export class EarliestAlarm {
  readonly #state: DurableObjectState
  #at: number | undefined
  /** When it was set. */
  #setAt = 0

  /** @param hasRows false for an object that has stored nothing, and so has set no alarm */
  constructor(state: DurableObjectState, hasRows: boolean) {
    this.#state = state
    if (!hasRows) return
    void state.blockConcurrencyWhile(async () => {
      this.#at = (await state.storage.getAlarm()) ?? undefined
    })
  }

  /** The alarm has fired, or was deleted with the rows of the object. */
  reset(): void {
    this.#at = undefined
  }

  /** @param at epoch milliseconds */
  wakeAt(at: number): void {
    const now = Date.now()
    const earlier = this.#at !== undefined && this.#at <= at ? this.#at : undefined
    if (earlier !== undefined && Math.max(earlier, this.#setAt) >= now - OVERDUE_MS) return
    // At another time than before: the storage may still have that of a lost one.
    this.moveTo(earlier === undefined ? at : earlier + 1)
  }

  /** Moves the alarm to a later time too, when nothing is due before. @param at epoch milliseconds */
  moveTo(at: number): void {
    this.#at = at
    this.#setAt = Date.now()
    void this.#state.storage.setAlarm(at)
  }
}
