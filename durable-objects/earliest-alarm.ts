/** The one alarm of an object: it is moved to an earlier time, never to a later one. In memory, so that nothing is awaited between a write and its alarm. */
export class EarliestAlarm {
  readonly #state: DurableObjectState
  #at: number | undefined

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
    if (this.#at !== undefined && this.#at <= at) return
    this.#at = at
    void this.#state.storage.setAlarm(at)
  }
}
