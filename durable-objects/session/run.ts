/** One request from its start to its answer: its state, its journal, and where its answer goes. */
import { Cancellation } from '../../src/dispatch/cancellation.ts'
import { type EntryKind, Journal, type JournalKeeper } from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, type SentRecord } from '../../src/dispatch/journal/sent-record.ts'
import type { Recording } from '../../src/dispatch/recording.ts'
import type { SessionAnswer } from '../../src/ports/sessions.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { hasRow, QUICK } from '../run/decide-run.ts'
import type { DrivenRun } from '../run/run-driver.ts'
import type { RunState } from '../run/run-state.ts'
import { createId } from './create-id.ts'
import type { Delivery } from './delivery.ts'
import { insertRun, type RunRequest, readJournal, requestIdText, writeEntry } from './run-rows.ts'
import type { SessionStorage } from './session-storage.ts'

/** A run that was read from its row. */
interface StoredRun {
  readonly id: string
  readonly state: RunState
  readonly sent: SentRecord
  readonly callerRecord: string | null
}

export class Run implements JournalKeeper, DrivenRun {
  readonly request: RunRequest
  readonly delivery: Delivery
  readonly cancellation = new Cancellation()
  state: RunState
  /** The answer of a run without a row. */
  reply: SessionAnswer | undefined
  /** What the earlier rounds have asked and sent. */
  sent: SentRecord
  auth: DrivenRun['auth']
  grant: DrivenRun['grant']
  definition: DrivenRun['definition']
  /** Whether the run may be repeated after an interruption; undefined in a row of a version before factories. */
  isRepeatable: boolean | undefined
  callerRecord: DrivenRun['callerRecord']
  /** Made when the handler starts; undefined when no sink receives the events of requests. */
  recording: Recording | undefined
  readonly #storage: SessionStorage
  #id: string | undefined
  #journal: Journal | undefined

  constructor(
    storage: SessionStorage,
    request: RunRequest,
    delivery: Delivery,
    stored?: StoredRun,
  ) {
    this.#storage = storage
    this.request = request
    this.delivery = delivery
    this.#id = stored?.id
    this.state = stored?.state ?? QUICK
    this.sent = stored?.sent ?? NOTHING_SENT
    this.callerRecord = stored?.callerRecord ?? null
    this.isRepeatable = request.isRepeatable
  }

  /** The key of its row. Made on first use, because most runs never have a row. */
  get id(): string {
    this.#id ??= createId()
    return this.#id
  }

  get requestId(): string {
    return requestIdText(this.request)
  }

  /** Read on first use, with every response that was recorded until then. */
  get journal(): Journal {
    this.#journal ??= hasRow(this.state)
      ? readJournal(this.#storage, this.id, this.sent, this)
      : new Journal(undefined, undefined, this)
    return this.#journal
  }

  get hasOpenJournal(): boolean {
    return this.#journal !== undefined
  }

  closeJournal(): void {
    this.#journal = undefined
  }

  insertRow(): void {
    const { id, delivery, callerRecord } = this
    const request = { ...this.request, isRepeatable: this.isRepeatable === true }
    const journal = this.#journal?.entries ?? []
    insertRun(this.#storage, id, delivery.stream, request, callerRecord, journal)
  }

  write(key: string, kind: EntryKind, value: JsonValue): void {
    if (hasRow(this.state)) writeEntry(this.#storage, this.id, key, kind, value)
  }

  drop(key: string): void {
    if (hasRow(this.state)) this.#storage.statements.deleteJournal(this.id, key)
  }
}
