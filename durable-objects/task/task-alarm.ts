/** The one alarm of a task: it is moved to an earlier time, never to a later one. */
import type { TaskStorage } from './task-storage.ts'

export class TaskAlarm {
  readonly #state: DurableObjectState
  #at: number | undefined

  constructor(state: DurableObjectState, storage: TaskStorage) {
    this.#state = state
    if (storage.existing === undefined) return
    void state.blockConcurrencyWhile(async () => {
      this.#at = (await state.storage.getAlarm()) ?? undefined
    })
  }

  fired(): void {
    this.#at = undefined
  }

  wakeAt(at: number): void {
    if (this.#at !== undefined && this.#at <= at) return
    this.#at = at
    void this.#state.storage.setAlarm(at)
  }
}
