/** Which occurrences concern which arguments, by the author's `matches`. */
import { withDeadline } from '../../../../../src/platform/deadline.ts'
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import type { CompiledEventType } from '../../compiled-event-type.ts'
import type { OccurrenceRow } from './schema.ts'

const TIMEOUT_MS = 10_000

type Outcome = boolean | { readonly error: unknown }

/** Evaluates each pair of an occurrence and a text of arguments once, also when that throws. */
export class Matching {
  readonly #type: CompiledEventType
  readonly #data = new Map<number, JsonObject>()
  readonly #byArguments = new Map<string, { args: JsonObject; outcomes: Map<number, Outcome> }>()

  constructor(type: CompiledEventType) {
    this.#type = type
  }

  /** Rejects with what the author's function has thrown. */
  async matches(text: string, { position, data, control }: OccurrenceRow): Promise<boolean> {
    if (control !== null) return true
    let known = this.#byArguments.get(text)
    if (known === undefined) {
      known = { args: JSON.parse(text), outcomes: new Map() }
      this.#byArguments.set(text, known)
    }
    const { args, outcomes } = known
    let outcome = outcomes.get(position)
    if (outcome === undefined) {
      outcome = await this.#evaluate(args, this.#parsed(position, data))
      outcomes.set(position, outcome)
    }
    if (typeof outcome === 'boolean') return outcome
    throw outcome.error
  }

  #parsed(position: number, data: string): JsonObject {
    const parsed: JsonObject = this.#data.get(position) ?? JSON.parse(data)
    this.#data.set(position, parsed)
    return parsed
  }

  async #evaluate(args: JsonObject, data: JsonObject): Promise<Outcome> {
    try {
      const result = this.#type.matches(args, data)
      if (!(result instanceof Promise)) return result
      return await withDeadline(TIMEOUT_MS, result, () => {
        throw new Error('matches has not settled in time')
      })
    } catch (error) {
      return { error }
    }
  }
}
