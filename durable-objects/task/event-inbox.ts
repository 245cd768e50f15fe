/**
 * The inbox of a call that is not a task: it keeps the events that webhooks deliver, for the Worker that
 * holds the call, and between two rounds of the call. No handler runs in its object.
 */
import { sha256Base64Url } from '../../src/platform/digest.ts'
import type { Delivery, DeliveryRefusal, InboxEvent, ReceivedEvent } from '../../src/ports/tasks.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { deliver, deliveryRefusal, type Recipient, responseAt } from '../run/deliver.ts'
import { TASK_RUN } from './schema.ts'
import type { TaskStorage } from './task-storage.ts'

export class EventInbox {
  readonly #storage: TaskStorage
  readonly #changed: () => void

  /** @param changed called when a value was delivered, and when the inbox was closed */
  constructor(storage: TaskStorage, changed: () => void) {
    this.#storage = storage
    this.#changed = changed
  }

  /** When it is deleted, in epoch milliseconds; undefined without an inbox. */
  get expiresAt(): number | undefined {
    return this.#storage.existing?.inbox()?.expires_at
  }

  open(expiresAt: number): void {
    this.#storage.statements.openInbox(expiresAt)
  }

  close(): void {
    this.#storage.existing?.closeInbox()
    this.#changed()
  }

  /**
   * Waits for an event. Undefined when it has not ended within `timeoutMs`.
   *
   * @param next resolves at the next change of the inbox, or after a time in milliseconds
   */
  async receive(
    event: InboxEvent,
    timeoutMs: number,
    next: (ms: number) => Promise<void>,
  ): Promise<ReceivedEvent | undefined> {
    if (event.misfit !== undefined) await this.#drop(event.key, event.misfit)
    this.#expect(event)
    const { until = Number.POSITIVE_INFINITY } = event.wait
    const end = Math.min(Date.now() + timeoutMs, until)
    for (;;) {
      const now = Date.now()
      const received = this.#received(event.key, now)
      if (received?.kind === 'fresh') return { ...received, digest: await digestOf(received.value) }
      if (received !== undefined || now >= end || this.#isOver) return received
      await next(end - now)
    }
  }

  deliver(key: string, text: string): Promise<Delivery> {
    return deliver(() => this.#recipient(), key, text)
  }

  deliveryRefusal(key: string): DeliveryRefusal | undefined {
    return deliveryRefusal(this.#recipient(), key)
  }

  /** Drops a value that does not fit. A call that is repeated finds a later value, which stays. */
  async #drop(key: string, digest: string): Promise<void> {
    const value = this.#storage.readEntry(TASK_RUN, key)
    if (value === undefined || (await digestOf(value)) !== digest) return
    // Meanwhile the same call may have dropped it, and another value may have been delivered.
    const present = this.#storage.readEntry(TASK_RUN, key)
    if (JSON.stringify(present) !== JSON.stringify(value)) return
    this.#storage.transaction(() => this.#storage.dropEntry(TASK_RUN, key))
  }

  /** Says what a key waits for, unless it has received a value. */
  #expect({ key, wait }: InboxEvent): void {
    const { statements } = this.#storage
    this.#storage.transaction(() => {
      if (statements.entry(TASK_RUN, key) !== undefined) return
      const { schema, until = null } = wait
      const detail = schema === undefined ? null : JSON.stringify(schema)
      statements.insertWait({
        run_id: TASK_RUN,
        key,
        kind: 'event',
        wire_key: null,
        detail,
        until,
      })
    })
  }

  /** What the wait of a key has ended with; undefined while it is open. */
  #received(
    key: string,
    now: number,
  ): { kind: 'fresh'; value: JsonValue } | { kind: 'refusal'; value: string } | undefined {
    const { existing } = this.#storage
    const value = this.#storage.readEntry(TASK_RUN, key)
    if (value !== undefined) return { kind: 'fresh', value }
    const until = existing?.wait(TASK_RUN, key)?.until ?? Number.POSITIVE_INFINITY
    if (now < until) return undefined
    const { kind, value: why } = responseAt('event', key)
    return kind === 'refusal' ? { kind, value: String(why) } : undefined
  }

  get #isOver(): boolean {
    return this.#storage.existing?.inbox()?.is_over === 1
  }

  #recipient(): Recipient | 'unknown' | 'over' {
    const { existing } = this.#storage
    const row = existing?.inbox()
    if (existing === undefined || row === undefined) return 'unknown'
    if (this.#isOver || row.expires_at <= Date.now()) return 'over'
    return {
      waitOf: (key) => existing.wait(TASK_RUN, key),
      entryOf: (key) => this.#received(key, Date.now())?.kind,
      countUnread: () => existing.countUnread(TASK_RUN),
      give: (key, response) => {
        this.#storage.transaction(() => this.#storage.record(TASK_RUN, key, response))
        this.#changed()
      },
    }
  }
}

function digestOf(value: JsonValue): Promise<string> {
  return sha256Base64Url(JSON.stringify(value))
}
