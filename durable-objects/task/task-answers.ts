/** What a task waits for, and how it is given to it: answers of the client, events of the author, times. */
import type { Delivery, DeliveryRefusal } from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { deliver, deliveryRefusal, type Recipient, responseAt } from '../run/deliver.ts'
import type { AskResponse } from '../run/run-state.ts'
import type { TaskRunner } from './task-runner.ts'
import type { TaskStorage } from './task-storage.ts'

export class TaskAnswers {
  readonly #storage: TaskStorage
  readonly #runnerOf: () => TaskRunner | undefined

  /** @param runnerOf undefined before the task was created */
  constructor(storage: TaskStorage, runnerOf: () => TaskRunner | undefined) {
    this.#storage = storage
    this.#runnerOf = runnerOf
  }

  /**
   * Answers open asks by their keys on the wire. A key that is unknown or was answered is ignored.
   *
   * @param refusals why the client does not answer, by key
   */
  update(responses: JsonObject, refusals: Readonly<Record<string, string>>): void {
    const asks = this.#storage.existing?.waits().filter(({ kind }) => kind === 'ask') ?? []
    const given = asks.flatMap(({ key, wire_key }) => {
      const response = responseTo(wire_key ?? '', responses, refusals)
      return response === undefined ? [] : [{ key, response }]
    })
    for (const [index, { key, response }] of given.entries()) {
      // A handler goes on when all its asks are answered, because the client answers them together. It
      // may race them with other waits.
      const isLast = given.length === asks.length && index === given.length - 1
      this.#give(key, response, isLast)
    }
  }

  deliver(key: string, text: string): Promise<Delivery> {
    return deliver(() => this.#recipient(), key, text)
  }

  deliveryRefusal(key: string): DeliveryRefusal | undefined {
    return deliveryRefusal(this.#recipient(), key)
  }

  /** Ends the sleeps that are over, and the waits for events that did not come. */
  wake(now: number): void {
    for (const { key, kind } of this.#storage.existing?.dueWaits(now) ?? []) {
      this.#give(key, responseAt(kind, key), true)
    }
  }

  #recipient(): Recipient | 'unknown' | 'over' {
    const { existing } = this.#storage
    if (existing?.task() === undefined) return 'unknown'
    if (this.#runnerOf()?.run === undefined) return 'over'
    return {
      waitOf: (key) => existing.wait(key),
      entryOf: (key) => existing.entry(key)?.kind,
      countUnread: () => existing.countFresh(),
      give: (key, response) => this.#give(key, response, true),
    }
  }

  #give(key: string, response: AskResponse, resumes: boolean): void {
    const runner = this.#runnerOf()
    const run = runner?.run
    if (run !== undefined) runner?.give(run, key, response, resumes)
  }
}

function responseTo(
  wireKey: string,
  responses: JsonObject,
  refusals: Readonly<Record<string, string>>,
): AskResponse | undefined {
  if (Object.hasOwn(refusals, wireKey)) {
    return { kind: 'refusal', value: refusals[wireKey] ?? '' }
  }
  const value = Object.hasOwn(responses, wireKey) ? responses[wireKey] : undefined
  return value === undefined ? undefined : { kind: 'fresh', value }
}
