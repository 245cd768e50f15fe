/**
 * The answers and step results that a handler has already obtained in this request. A handler is
 * re-entered from the top with its journal; what is in the journal returns at once.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/**
 * `answer` is as the client sent it, and is validated again each time; `step` is what the author
 * returned; `refusal` is why a client did not answer.
 */
export type EntryKind = 'answer' | 'step' | 'refusal'

interface Entry {
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
  readonly #entries = new Map<string, Entry>()
  readonly #fresh: JsonObject
  readonly #keeper: JournalKeeper | undefined
  /** Keys that the last round asked for: how a changed order is told from a first question. */
  readonly asked: readonly string[]
  /** What the last rounds have already sent: not sent again. */
  readonly sentProgress: number | undefined
  readonly sentLogs: readonly string[]

  /** @param fresh answers that this round brings, not looked at yet */
  constructor(state: JournalState = EMPTY_STATE, fresh: JsonObject = {}, keeper?: JournalKeeper) {
    for (const [key, value] of Object.entries(state.answers)) this.#set(key, 'answer', value)
    for (const [key, value] of Object.entries(state.steps)) this.#set(key, 'step', value)
    for (const [key, value] of Object.entries(state.refusals ?? {})) {
      this.#set(key, 'refusal', value)
    }
    this.#fresh = fresh
    this.#keeper = keeper
    this.asked = state.asked
    this.sentProgress = state.sentProgress
    this.sentLogs = state.sentLogs
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

  /** Everything written so far, as JSON. */
  toState(
    asked: readonly string[],
    sentProgress: number | undefined,
    sentLogs: readonly string[],
  ): JournalState {
    const of = (kind: EntryKind) =>
      Object.fromEntries(
        [...this.#entries].flatMap(([key, entry]) =>
          entry.kind === kind ? [[key, entry.value]] : [],
        ),
      )
    return { answers: of('answer'), steps: of('step'), asked, sentProgress, sentLogs }
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
  readonly asked: readonly string[]
  readonly sentProgress: number | undefined
  /** Fingerprints of the log messages that were sent. */
  readonly sentLogs: readonly string[]
}

export const EMPTY_STATE: JournalState = {
  answers: {},
  steps: {},
  asked: [],
  sentProgress: undefined,
  sentLogs: [],
}

/** A state read back, or undefined where it is none. Only ever called on what a seal has protected. */
export function parseJournalState(value: unknown): JournalState | undefined {
  return isJournalState(value) ? value : undefined
}

function isJournalState(value: unknown): value is JournalState {
  if (!isJsonObject(value)) return false
  const { answers, steps, asked, sentProgress, sentLogs } = value
  return (
    isJsonObject(answers) &&
    isJsonObject(steps) &&
    Array.isArray(asked) &&
    asked.every((key) => typeof key === 'string') &&
    (sentProgress === undefined || typeof sentProgress === 'number') &&
    Array.isArray(sentLogs)
  )
}
