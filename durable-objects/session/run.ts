/** One request from its start to its answer: its state, its journal, and where its answer goes. */
import { Cancellation } from '../../src/dispatch/cancellation.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { type EntryKind, Journal, type JournalKeeper } from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, type SentRecord } from '../../src/dispatch/journal/sent-record.ts'
import type { CallerGrant } from '../../src/ports/authenticator.ts'
import type { SessionAnswer } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import type { ProtocolError } from '../../src/protocol/protocol-error.ts'
import { hasRow, QUICK } from '../run/decide-run.ts'
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

export class Run implements JournalKeeper {
  readonly request: RunRequest
  readonly delivery: Delivery
  readonly cancellation = new Cancellation()
  /** Set by `runs.ts`, from decisions only. */
  state: RunState
  /** The answer of a run without a row. */
  reply: SessionAnswer | undefined
  /** What the earlier rounds have asked and sent. */
  sent: SentRecord
  /** The caller that started the run; of a run that resumes, once it has been renewed. */
  auth: AuthInfo | undefined
  /** The grant of the caller's token, if it has one. */
  grant: CallerGrant | undefined
  /** The definition for the caller, once it has been looked for, or the error that there is none. */
  definition: Dispatcher | ProtocolError | undefined
  /** Whether the run may be repeated after an interruption; undefined in a row of a version before factories. */
  isRepeatable: boolean | undefined
  /** The sealed record of the caller; null on a server without authorization. */
  callerRecord: string | null
  readonly #storage: SessionStorage
  readonly #stored: StoredRun | undefined
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
    this.#stored = stored
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

  /** Whether it was read from its row: it resumes, or is about to end. */
  get isStored(): boolean {
    return this.#stored !== undefined
  }

  get requestId(): string {
    return requestIdText(this.request)
  }

  /** Read on first use, with every response that was recorded until then. */
  get journal(): Journal {
    this.#journal ??=
      this.#stored === undefined
        ? new Journal(undefined, undefined, this)
        : readJournal(this.#storage, this.id, this.sent, this)
    return this.#journal
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
