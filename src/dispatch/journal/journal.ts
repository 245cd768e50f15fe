/**
 * The answers and step results that a handler has already obtained in this request. A handler is
 * re-entered from the top with its journal; what is in the journal returns at once.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { NOTHING_SENT, parseSentRecord, type SentRecord } from './sent-record.ts'

/**
 * `answer` is as the client sent it, and is validated again each time; `step` is what the author
 * returned; `refusal` is why a client did not answer.
 */
export type EntryKind = 'answer' | 'step' | 'refusal'

export interface JournalEntry {
  readonly kind: EntryKind
  readonly value: JsonValue
}

const KEY = /^[A-Za-z0-9_.-]{1,64}$/

/** @throws {TypeError} for a key that could not be sent */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new TypeError('A key is 1 to 64 of the characters A-Z a-z 0-9 _ - .')
  }
}

/** Where a journal is kept while its handler runs; without one it is kept between rounds alone. */
export interface JournalKeeper {
  write(key: string, kind: EntryKind, value: JsonValue): void
  drop(key: string): void
}

export class Journal {
  readonly #entries = new Map<string, JournalEntry>()
  readonly #fresh: JsonObject
  readonly #keeper: JournalKeeper | undefined
  /** What the earlier rounds have asked and sent. */
  readonly sent: SentRecord

  /** @param fresh answers that this round brings, not looked at yet */
  constructor(state: JournalState = EMPTY_STATE, fresh: JsonObject = {}, keeper?: JournalKeeper) {
    for (const [key, value] of Object.entries(state.answers)) this.#set(key, 'answer', value)
    for (const [key, value] of Object.entries(state.steps)) this.#set(key, 'step', value)
    for (const [key, value] of Object.entries(state.refusals ?? {})) {
      this.#set(key, 'refusal', value)
    }
    this.#fresh = fresh
    this.#keeper = keeper
    this.sent = state.sent
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /**
   * What is written under a key.
   *
   * @throws {TypeError} when the key belongs to an entry of the other kind
   */
  read(key: string, kind: EntryKind): { readonly value: JsonValue } | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.kind !== kind) {
      throw new TypeError(`The key "${key}" is used for an ask and for a step`)
    }
    return entry
  }

  /** Why a client did not answer an ask, in its own words. */
  refusalOf(key: string): string | undefined {
    const entry = this.#entries.get(key)
    return entry?.kind === 'refusal' ? String(entry.value) : undefined
  }

  /** An answer that came with this round. */
  fresh(key: string): JsonValue | undefined {
    return Object.hasOwn(this.#fresh, key) ? this.#fresh[key] : undefined
  }

  write(key: string, kind: EntryKind, value: JsonValue): void {
    this.#set(key, kind, value)
    this.#keeper?.write(key, kind, value)
  }

  /** Forgets an answer that turned out not to fit. */
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
    return { answers: of('answer'), steps: of('step'), sent }
  }

  #set(key: string, kind: EntryKind, value: JsonValue | undefined): void {
    if (value !== undefined) this.#entries.set(key, { kind, value })
  }
}

/** A journal between two rounds. */
export interface JournalState {
  readonly answers: JsonObject
  readonly steps: JsonObject
  readonly refusals?: JsonObject
  readonly sent: SentRecord
}

export const EMPTY_STATE: JournalState = { answers: {}, steps: {}, sent: NOTHING_SENT }

/** Undefined for a value that is not a state. Called only on what a seal has protected. */
export function parseJournalState(value: unknown): JournalState | undefined {
  if (!isJsonObject(value)) return undefined
  const { answers, steps } = value
  const sent = parseSentRecord(value.sent)
  return isJsonObject(answers) && isJsonObject(steps) && sent !== undefined
    ? { answers, steps, sent }
    : undefined
}
