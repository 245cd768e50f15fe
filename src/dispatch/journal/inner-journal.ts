/**
 * The part of a journal that belongs to one call inside a run: its entries have keys with a prefix, and are read and
 * written under the keys that the handler of the call knows.
 */
import type { JsonValue } from '../../protocol/json.ts'
import {
  EMPTY_STATE,
  type EntryKind,
  Journal,
  type JournalEntry,
  type JournalState,
} from './journal.ts'
import type { SentRecord } from './sent-record.ts'

export class InnerJournal extends Journal {
  readonly #outer: Journal
  readonly #prefix: string

  constructor(outer: Journal, prefix: string) {
    super({ ...EMPTY_STATE, sent: sentUnder(outer.sent, prefix) })
    this.#outer = outer
    this.#prefix = prefix
  }

  override get isEmpty(): boolean {
    return this.entries.size === 0
  }

  override read(key: string, kind: EntryKind): { readonly value: JsonValue } | undefined {
    return this.#outer.read(this.#prefix + key, kind)
  }

  override refusalOf(key: string): string | undefined {
    return this.#outer.refusalOf(this.#prefix + key)
  }

  override pending(key: string, kind: 'wait' | 'started'): JsonValue | undefined {
    return this.#outer.pending(this.#prefix + key, kind)
  }

  override get recordsStarts(): boolean {
    return this.#outer.recordsStarts
  }

  override deliver(key: string, value: JsonValue): void {
    this.#outer.deliver(this.#prefix + key, value)
  }

  override received(key: string): JsonValue | undefined {
    return this.#outer.received(this.#prefix + key)
  }

  override fresh(key: string): JsonValue | undefined {
    return this.#outer.fresh(this.#prefix + key)
  }

  override write(key: string, kind: EntryKind, value: JsonValue): void {
    this.#outer.write(this.#prefix + key, kind, value)
  }

  override drop(key: string): void {
    this.#outer.drop(this.#prefix + key)
  }

  override get entries(): ReadonlyMap<string, JournalEntry> {
    const own = [...this.#outer.entries].flatMap(([key, entry]): [string, JournalEntry][] =>
      key.startsWith(this.#prefix) ? [[key.slice(this.#prefix.length), entry]] : [],
    )
    return new Map(own)
  }

  /** The entries are in the state of the outer journal. */
  override toState(sent: SentRecord): JournalState {
    return { ...EMPTY_STATE, sent }
  }
}

function sentUnder({ asked, misfits = {}, changedRounds }: SentRecord, prefix: string): SentRecord {
  const own = (key: string) => key.startsWith(prefix)
  const keyOf = (key: string) => key.slice(prefix.length)
  return {
    asked: asked.filter(own).map(keyOf),
    progress: undefined,
    logs: [],
    misfits: Object.fromEntries(
      Object.entries(misfits).flatMap(([key, misfit]) => (own(key) ? [[keyOf(key), misfit]] : [])),
    ),
    changedRounds,
  }
}
