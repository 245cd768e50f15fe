/**
 * What a request has logged over all its rounds, so that a handler which is run again does not say
 * the same twice. Remembered by content and not by number: a round may pass by what an earlier one
 * logged (inside a step), and must still be heard with what is new.
 */
import type { JsonObject } from '../../protocol/json.ts'
import { fingerprint } from './fingerprint.ts'

/** Messages that are remembered; what comes after them may be repeated. */
const MAX_REMEMBERED = 200

export class SentLogs {
  readonly #all: string[]
  /** Of earlier rounds, and not come up in this one yet. */
  readonly #outstanding: string[]

  constructor(earlier: readonly string[]) {
    this.#all = [...earlier]
    this.#outstanding = [...earlier]
  }

  /** Whether an earlier round has sent this message; if not, it counts as sent from now on. */
  isRepeated(params: JsonObject): boolean {
    const print = fingerprint(JSON.stringify(params))
    const at = this.#outstanding.indexOf(print)
    if (at !== -1) {
      this.#outstanding.splice(at, 1)
      return true
    }
    if (this.#all.length < MAX_REMEMBERED) this.#all.push(print)
    return false
  }

  /** Fingerprints of everything sent so far. */
  get all(): readonly string[] {
    return this.#all
  }
}
