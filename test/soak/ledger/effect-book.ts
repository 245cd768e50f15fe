/** The side effects of one principal, whose counters no other principal sees. */
import { CounterValues, Effect } from './effects.ts'
import type { ClientLedger } from './ledger.ts'

export class EffectBook {
  /** Incremented by the calls of all clients. */
  readonly readsOnlyRuns: Effect
  readonly singleUseCalls: Effect
  readonly readsOnlyValues: CounterValues
  readonly #shared: readonly Effect[]
  #ofCalls: Effect[] = []

  constructor(ledger: ClientLedger) {
    this.readsOnlyRuns = new Effect(ledger, 'reads-only-runs')
    this.singleUseCalls = new Effect(ledger, 'one-time')
    this.readsOnlyValues = new CounterValues(ledger, 'reads-only-runs')
    this.#shared = [this.readsOnlyRuns, this.singleUseCalls]
  }

  /** An effect of one call, with a counter of its own. */
  create(ledger: ClientLedger, counter: string): Effect {
    const effect = new Effect(ledger, counter)
    this.#ofCalls.push(effect)
    return effect
  }

  /** Compares every effect with its counter. No call is under way, so the effects of calls are final. */
  async check(read: (counters: readonly string[]) => Promise<readonly number[]>): Promise<void> {
    const effects = [...this.#shared, ...this.#ofCalls.splice(0)]
    const values = await read(effects.map(({ counter }) => counter))
    for (const [index, effect] of effects.entries()) effect.check(values[index] ?? Number.NaN)
  }
}
