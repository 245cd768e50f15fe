/**
 * The journal: the answers and step results that a handler has obtained in this request. A handler runs again
 * from the top with its journal, and the entries of the journal return at once.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { ToolError } from '../../server/tool-error.ts'
import { NOTHING_SENT, parseSentRecord, type SentRecord } from './sent-record.ts'

/**
 * `answer`: as the client sent it, validated again in each round. `step`: the value that the step returned.
 * `refusal`: why there is no answer. `wait`: what the handler began to wait for. `started`: a step whose
 * result is not known, with the number of its attempt.
 */
export type EntryKind = 'answer' | 'step' | 'refusal' | 'wait' | 'started'

/** The entries without a result. The result of their key replaces them. */
const PENDING: ReadonlySet<EntryKind> = new Set(['wait', 'started'])

export interface JournalEntry {
  readonly kind: EntryKind
  readonly value: JsonValue
}

/**
 * Maximum size of a journal in memory and in the rows of a session, in UTF-16 code units of JSON text.
 * A sealed one has a lower limit (`request-state.ts`).
 */
export const MAX_JOURNAL_LENGTH = 4 * 1024 * 1024

/**
 * The key of the step that names the object in which the call goes on. No author can use it, because it contains a
 * colon. A run with this step may run again after an interruption: it begins nothing a second time.
 */
export const HELD_CALL = 'call:held'

/** The key of the step that names where the files of a call are stored when its client sends them. */
export const SENT_FILES = 'files:sent'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/

/** @throws {TypeError} for a malformed key */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new TypeError('A key is 1 to 64 of the characters A-Z a-z 0-9 _ - .')
  }
}

/** Stores the entries of a journal while its handler runs. Without it they are stored between rounds only. */
export interface JournalKeeper {
  write(key: string, kind: EntryKind, value: JsonValue): void
  drop(key: string): void
  /** Whether a step is recorded before it runs, so that its interruption is noticed. */
  readonly recordsStarts?: boolean
}

export class Journal {
  readonly #entries = new Map<string, JournalEntry>()
  readonly #fresh: Map<string, JsonValue | undefined>
  /** What waits have received, where the client itself has sent the answers in `#fresh`. */
  readonly #received = new Map<string, JsonValue>()
  readonly #keeper: JournalKeeper | undefined
  #length = 0
  /** What the earlier rounds have asked and sent. */
  readonly sent: SentRecord

  /**
   * @param fresh the answers of this round, not validated yet: with a keeper, those that it has recorded for an
   *   open ask or wait; without one, those that the client has sent with its request, under any keys
   */
  constructor(state: JournalState = EMPTY_STATE, fresh: JsonObject = {}, keeper?: JournalKeeper) {
    for (const [key, value] of Object.entries(state.answers)) this.#set(key, 'answer', value)
    for (const [key, value] of Object.entries(state.steps)) this.#set(key, 'step', value)
    for (const [key, value] of Object.entries(state.refusals ?? {})) {
      this.#set(key, 'refusal', value)
    }
    for (const [key, value] of Object.entries(state.waits ?? {})) this.#set(key, 'wait', value)
    for (const [key, value] of Object.entries(state.started ?? {})) this.#set(key, 'started', value)
    for (const { value } of this.#entries.values()) this.#length += JSON.stringify(value).length
    this.#fresh = new Map(Object.entries(fresh))
    this.#keeper = keeper
    this.sent = state.sent
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /**
   * Returns the entry of a key.
   *
   * @throws {TypeError} if the key belongs to an entry of another kind
   */
  read(key: string, kind: EntryKind): { readonly value: JsonValue } | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || PENDING.has(entry.kind)) return undefined
    if (entry.kind !== kind) {
      throw new TypeError(`The key "${key}" is used for an ask and for a step`)
    }
    return entry
  }

  /** Returns why the client did not answer an ask. */
  refusalOf(key: string): string | undefined {
    const entry = this.#entries.get(key)
    return entry?.kind === 'refusal' ? String(entry.value) : undefined
  }

  /** Returns what a key waits for, or the attempt of a step that was started. */
  pending(key: string, kind: 'wait' | 'started'): JsonValue | undefined {
    const entry = this.#entries.get(key)
    return entry?.kind === kind ? entry.value : undefined
  }

  /** Whether a step is recorded before it runs. */
  get recordsStarts(): boolean {
    return this.#keeper?.recordsStarts === true
  }

  /** Adds what arrives for an ask or a wait while the handler runs. */
  deliver(key: string, value: JsonValue): void {
    if (this.#keeper === undefined) this.#received.set(key, value)
    else this.#fresh.set(key, value)
  }

  /** Returns what has ended a wait. A client cannot end it by an answer that it sends with its request. */
  received(key: string): JsonValue | undefined {
    return this.#keeper === undefined ? this.#received.get(key) : this.#fresh.get(key)
  }

  /** Returns an answer of this round. */
  fresh(key: string): JsonValue | undefined {
    return this.#fresh.get(key)
  }

  /** @throws {ToolError} for an answer, and {TypeError} for the result of a step, beyond {@link MAX_JOURNAL_LENGTH} */
  write(key: string, kind: EntryKind, value: JsonValue): void {
    this.#length += JSON.stringify(value).length
    if (this.#length > MAX_JOURNAL_LENGTH) {
      const text = `The answers and step results of one call may have at most ${MAX_JOURNAL_LENGTH} characters`
      throw kind === 'step' ? new TypeError(text) : new ToolError(text)
    }
    this.#set(key, kind, value)
    this.#keeper?.write(key, kind, value)
  }

  /** Removes an invalid answer. */
  drop(key: string): void {
    this.#entries.delete(key)
    this.#keeper?.drop(key)
  }

  /** Everything written so far, by key. */
  get entries(): ReadonlyMap<string, JournalEntry> {
    return this.#entries
  }

  /** The same as JSON, with the record of what was asked and sent. */
  toState(sent: SentRecord): JournalState {
    const of = (kind: EntryKind) =>
      Object.fromEntries(
        [...this.#entries].flatMap(([key, entry]) =>
          entry.kind === kind ? [[key, entry.value]] : [],
        ),
      )
    const refusals = of('refusal')
    const waits = of('wait')
    return {
      answers: of('answer'),
      steps: of('step'),
      ...(Object.keys(refusals).length > 0 && { refusals }),
      ...(Object.keys(waits).length > 0 && { waits }),
      sent,
    }
  }

  /** Everything as JSON, for a run that goes on in another object. */
  toTransfer(): JournalTransfer {
    return { state: this.toState(this.sent), fresh: Object.fromEntries(this.#fresh) }
  }

  #set(key: string, kind: EntryKind, value: JsonValue | undefined): void {
    if (value !== undefined) this.#entries.set(key, { kind, value })
  }
}

/** A journal between two rounds, as JSON. */
export interface JournalState {
  readonly answers: JsonObject
  readonly steps: JsonObject
  readonly refusals?: JsonObject
  readonly waits?: JsonObject
  readonly started?: JsonObject
  readonly sent: SentRecord
}

/** A journal with the answers of this round, as JSON. */
export interface JournalTransfer {
  readonly state: JournalState
  readonly fresh: JsonObject
}

export const EMPTY_STATE: JournalState = { answers: {}, steps: {}, sent: NOTHING_SENT }

/** Undefined for a value that is not a state. Called only on what a seal has protected. */
export function parseJournalState(value: unknown): JournalState | undefined {
  if (!isJsonObject(value)) return undefined
  const { answers, steps, refusals = {}, waits = {} } = value
  const sent = parseSentRecord(value.sent)
  if (!isJsonObject(answers) || !isJsonObject(steps) || sent === undefined) return undefined
  if (!isJsonObject(refusals) || !isJsonObject(waits)) return undefined
  return { answers, steps, refusals, waits, sent }
}
