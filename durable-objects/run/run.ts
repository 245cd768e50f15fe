/** One request from its start to its answer: its state, and its journal in memory and in rows. */
import { Cancellation } from '../../src/dispatch/cancellation.ts'
import { type EntryKind, Journal, type JournalKeeper } from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, type SentRecord } from '../../src/dispatch/journal/sent-record.ts'
import type { Target } from '../../src/dispatch/target.ts'
import { randomId } from '../../src/platform/random-token.ts'
import type { CallerGrant } from '../../src/ports/authenticator.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import type { ProtocolError } from '../../src/protocol/protocol-error.ts'
import { hasRow, QUICK } from './decide-run.ts'
import type { RunState } from './run-state.ts'
import type { RunStorage } from './run-storage.ts'

/** A request with everything that its handler may read. */
export interface RunRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  /** Lines of `name: value`. */
  readonly headers: string
  readonly origin: string
}

/** A run that was read from its row. */
export interface StoredRun {
  readonly id: string
  readonly state: RunState
  readonly sent: string
  readonly callerRecord: string | null
}

export class Run<Request extends RunRequest = RunRequest> implements JournalKeeper {
  /** Replaced before the handler starts when it stands for another one. */
  request: Request
  readonly cancellation = new Cancellation()
  /** Set by the driver, from decisions only. */
  state: RunState
  /** What the earlier rounds have asked and sent. */
  sent: SentRecord
  /** The caller that started the run; of a run that resumes, once it has been renewed. */
  auth: AuthInfo | undefined
  /** The grant of the caller's token, if it has one. */
  grant: CallerGrant | undefined
  /** What the request is for, once it has been looked for, or the error that the caller has no definition. */
  target: Target | ProtocolError | undefined
  /** Whether it was read from its row, so that its handler may have run before. */
  readonly continues: boolean
  /** The sealed record of the caller; null on a server without authorization. */
  callerRecord: string | null
  readonly #storage: RunStorage
  #id: string | undefined
  #journal: Journal | undefined

  constructor(storage: RunStorage, request: Request, stored?: StoredRun) {
    this.#storage = storage
    this.request = request
    this.#id = stored?.id
    this.continues = stored !== undefined
    this.state = stored?.state ?? QUICK
    this.sent = stored === undefined ? NOTHING_SENT : JSON.parse(stored.sent)
    this.callerRecord = stored?.callerRecord ?? null
  }

  /** The key of its row. Made on first use, because most runs never have a row. */
  get id(): string {
    this.#id ??= randomId()
    return this.#id
  }

  get isStored(): boolean {
    return hasRow(this.state)
  }

  /** Read on first use, with every response that was recorded until then. */
  get journal(): Journal {
    this.#journal ??= this.isStored ? this.#readJournal() : this.newJournal()
    return this.#journal
  }

  /** Whether a handler reads the journal. */
  get hasOpenJournal(): boolean {
    return this.#journal !== undefined
  }

  /** Forgets the journal in memory, so that the next run of the handler reads it from its rows. */
  closeJournal(): void {
    this.#journal = undefined
  }

  /** Writes the journal so far, for a run that gets its row. */
  storeJournal(): void {
    this.#journal ??= this.newJournal()
    this.#storage.writeJournal(this.id, this.#journal.entries)
  }

  write(key: string, kind: EntryKind, value: JsonValue): void {
    if (!this.isStored) return
    this.#storage.transaction(() => this.#storage.writeEntry(this.id, key, kind, value))
  }

  drop(key: string): void {
    if (!this.isStored) return
    this.#storage.transaction(() => this.#storage.dropEntry(this.id, key))
  }

  /** The journal of a run without a row. */
  protected newJournal(): Journal {
    return new Journal(undefined, undefined, this)
  }

  #readJournal(): Journal {
    const kinds = ['answer', 'step', 'refusal', 'wait', 'started', 'fresh'] as const
    const { answer, step, refusal, wait, started, fresh } = this.#storage.readEntries(
      this.id,
      kinds,
    )
    const { sent } = this
    const state = { answers: answer, steps: step, refusals: refusal, waits: wait, started, sent }
    return new Journal(state, fresh, this)
  }
}
