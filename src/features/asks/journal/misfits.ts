/** The misfits of a run: answers that did not fit their asks. The same one ends the call when it is given repeatedly. */

import type { MisfitRecord } from '../../../dispatch/journal/sent-record.ts'
import { fingerprint } from '../../../platform/fnv.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json.ts'
import { ToolError } from '../../../server/tool-error.ts'

type MisfitRecords = Readonly<Record<string, MisfitRecord>>

/** The same answer that does not fit ends the call when it is given this often. */
const MAX_MISFITS = 3

export class Misfits {
  readonly #earlier: MisfitRecords
  readonly #current = new Map<string, MisfitRecord & { readonly why: string }>()
  readonly #adopted = new Map<string, MisfitRecord>()

  /** @param earlier those of the round before */
  constructor(earlier: MisfitRecords = {}) {
    this.#earlier = earlier
  }

  /** Adds one. Returns the error that ends the call, when it was the last one allowed. */
  add(key: string, answer: JsonValue, why: string): ToolError | undefined {
    const print = fingerprint(JSON.stringify(answer))
    const before = this.#earlier[key]
    const count = before?.print === print ? before.count + 1 : 1
    this.#current.set(key, { print, count, why })
    if (count < MAX_MISFITS) return undefined
    return new ToolError(
      `The same answer to a question of this call did not fit ${count} times:\n${why}\nCall the tool again to ask anew.`,
    )
  }

  /** The params of an ask that is sent again: its message says what was wrong with the answer. */
  explain(key: string, params: JsonObject): JsonObject {
    const misfit = this.#current.get(key)
    return misfit === undefined || typeof params.message !== 'string'
      ? params
      : { ...params, message: `${params.message}\n\nThe answer did not fit:\n${misfit.why}` }
  }

  /** Adds those of a call inside the run. */
  adopt(prefix: string, records: MisfitRecords = {}): void {
    for (const [key, record] of Object.entries(records)) this.#adopted.set(prefix + key, record)
  }

  /** Those of this round; undefined when there are none. */
  toRecords(): MisfitRecords | undefined {
    const all = [...this.#adopted, ...this.#current]
    if (all.length === 0) return undefined
    return Object.fromEntries(all.map(([key, { print, count }]) => [key, { print, count }]))
  }
}
