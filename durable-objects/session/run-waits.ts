/** What ends the waits of a session's runs: a time, the delivery of an event, or the end of a task. */
import type { Delivery, DeliveryRefusal } from '../../src/ports/tasks.ts'
import { deliver, deliveryRefusal, type Recipient, responseAt } from '../run/deliver.ts'
import type { AskResponse } from '../run/run-state.ts'
import type { Runs } from './runs.ts'
import type { SessionStorage } from './session-storage.ts'

export class RunWaits {
  readonly #storage: SessionStorage
  readonly #runs: Runs

  constructor(storage: SessionStorage, runs: Runs) {
    this.#storage = storage
    this.#runs = runs
  }

  /** Delivers a value of the author to a run that waits for it, or is about to. */
  deliver(runId: string, key: string, text: string): Promise<Delivery> {
    return deliver(() => this.#recipient(runId), key, text)
  }

  deliveryRefusal(runId: string, key: string): DeliveryRefusal | undefined {
    return deliveryRefusal(this.#recipient(runId), key)
  }

  /** Ends the waits whose time is over. */
  wake(now: number): void {
    for (const { run_id, key, kind } of this.#storage.existing?.dueWaits(now) ?? []) {
      this.#give(run_id, key, responseAt(kind, key))
    }
  }

  /** Resumes the runs that wait for the end of a task. */
  taskEnded(taskId: string): void {
    for (const { run_id, key } of this.#storage.existing?.waitsForTask(taskId) ?? []) {
      this.#give(run_id, key, { kind: 'fresh', value: {} })
    }
  }

  #recipient(runId: string): Recipient | 'over' {
    const run = this.#runs.find(runId)
    if (run === undefined) return 'over'
    // A value that is kept needs the row of its run.
    this.#runs.open(run.delivery)
    const { statements } = this.#storage
    return {
      waitOf: (key) => statements.wait(runId, key),
      entryOf: (key) => statements.journalEntry(runId, key)?.kind,
      countUnread: () => statements.countUnread(runId),
      give: (key, response) => this.#runs.give(run, key, response, true),
    }
  }

  #give(runId: string, key: string, response: AskResponse): void {
    const run = this.#runs.find(runId)
    if (run !== undefined) this.#runs.give(run, key, response, true)
  }
}
