/** What a task waits for, and how it is given to it: answers of the client, events of the author, times. */
import { misfitOf } from '../../src/dispatch/journal/event.ts'
import type { EventWait } from '../../src/dispatch/journal/wait.ts'
import type { Delivery } from '../../src/ports/tasks.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { AskResponse } from '../run/run-state.ts'
import type { WaitRow } from './schema.ts'
import type { TaskRunner } from './task-runner.ts'
import type { TaskStorage } from './task-storage.ts'

/** Maximum length of a delivered value, in UTF-16 code units of JSON text. */
const MAX_VALUE_LENGTH = 256 * 1024

/** Delivered values that no wait has used yet. */
const MAX_KEPT_VALUES = 100

export class TaskAnswers {
  readonly #storage: TaskStorage
  readonly #runnerOf: () => TaskRunner | undefined

  /** @param runnerOf undefined before the task was created */
  constructor(storage: TaskStorage, runnerOf: () => TaskRunner | undefined) {
    this.#storage = storage
    this.#runnerOf = runnerOf
  }

  /** Answers open asks by their keys on the wire. A key that is unknown or was answered is ignored. */
  update(responses: JsonObject): void {
    for (const { key, wire_key } of this.#storage.existing?.waits() ?? []) {
      if (wire_key === null || !Object.hasOwn(responses, wire_key)) continue
      const value = responses[wire_key]
      // A handler goes on when all its asks are answered, because the client answers them together.
      if (value !== undefined) this.#give(key, { kind: 'fresh', value }, false)
    }
  }

  async deliver(key: string, value: JsonValue, length: number): Promise<Delivery> {
    if (length > MAX_VALUE_LENGTH) return { kind: 'too-large', limit: MAX_VALUE_LENGTH }
    const wait = this.#storage.existing?.wait(key)
    const misfit = wait && (await misfitOf(eventOf(wait), value))
    if (misfit !== undefined) return { kind: 'misfit', detail: misfit }
    // No await from here on: of two deliveries, one is kept.
    const { existing } = this.#storage
    if (existing?.task() === undefined) return { kind: 'unknown' }
    if (this.#runnerOf()?.run === undefined) return { kind: 'over' }
    const entry = existing.entry(key)
    if (entry !== undefined && entry.kind !== 'wait') return { kind: 'delivered' }
    if (existing.wait(key) === undefined && existing.countFresh() >= MAX_KEPT_VALUES) {
      return { kind: 'full' }
    }
    this.#give(key, { kind: 'fresh', value: { value } }, true)
    return { kind: 'kept' }
  }

  /** Ends the sleeps that are over, and the waits for events that did not come. */
  wake(now: number): void {
    for (const { key, kind } of this.#storage.existing?.dueWaits(now) ?? []) {
      if (kind === 'sleep') this.#give(key, { kind: 'fresh', value: {} }, true)
      else {
        const value = `Nothing was delivered to "${key}" in time.`
        this.#give(key, { kind: 'refusal', value }, true)
      }
    }
  }

  /** @param resumes whether the handler goes on although it waits for more: it may race them */
  #give(key: string, response: AskResponse, resumes: boolean): void {
    const runner = this.#runnerOf()
    const run = runner?.run
    if (runner === undefined || run === undefined) return
    const event = { type: 'respond', key, response, now: Date.now(), resumes } as const
    if (runner.apply(run, event)) return
    // The handler is running and has not waited for it, or goes on without it: it is kept.
    this.#storage.transaction(() => {
      this.#storage.statements.deleteWait(key)
      this.#storage.writeEntry(key, response.kind, response.value)
    })
    if (response.kind === 'fresh' && run.hasOpenJournal) run.journal.deliver(key, response.value)
  }
}

function eventOf({ detail }: WaitRow): EventWait {
  return { kind: 'event', ...(detail === null ? undefined : { schema: JSON.parse(detail) }) }
}
