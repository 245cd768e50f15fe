/** The keys of the asks, waits and steps of one run: unique, and derived for asks without one. */
import { checkKey } from '../../../dispatch/journal/journal.ts'
import type { SentRecord } from '../../../dispatch/journal/sent-record.ts'
import { type Ask, deriveKey } from './ask.ts'

/** The key of an ask. `moved`: the round before asked something else at its place. */
export interface AskKey {
  readonly key: string
  readonly moved?: { readonly kind: string; readonly place: number }
}

export class AskKeys {
  readonly #used = new Set<string>()
  readonly #places = new Map<string, number>()
  /** What the round before has asked. */
  readonly #before: SentRecord
  #hasMoved = false

  constructor(before: SentRecord) {
    this.#before = before
  }

  /** The number of rounds, this one included, in which asks without a key differed from those of the round before. */
  get changedRounds(): number {
    return (this.#before.changedRounds ?? 0) + (this.#hasMoved ? 1 : 0)
  }

  /** @throws {TypeError} for a malformed or repeated key */
  reserve(key: string): void {
    checkKey(key)
    if (this.#used.has(key)) throw new TypeError(`The key "${key}" is repeated in one run`)
    this.#used.add(key)
  }

  /** The key may be used again: its step has failed. */
  release(key: string): void {
    this.#used.delete(key)
  }

  /** @throws {TypeError} for a malformed or repeated key */
  ofAsk(key: string | undefined, ask: Ask<unknown>): AskKey {
    if (key !== undefined) {
      this.reserve(key)
      return { key }
    }
    const { kind } = ask
    const place = (this.#places.get(kind) ?? 0) + 1
    this.#places.set(kind, place)
    const derived = deriveKey(ask, place)
    const prefix = `${kind}-${place}-`
    const isMoved = this.#before.asked.some(
      (asked) => asked.startsWith(prefix) && asked !== derived,
    )
    if (!isMoved) return { key: derived }
    this.#hasMoved = true
    return { key: derived, moved: { kind, place } }
  }
}
