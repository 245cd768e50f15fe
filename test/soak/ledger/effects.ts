/** Side effects of calls: how often each may have happened, and how often it must have. */
import type { ClientLedger } from './ledger.ts'

export class Effect {
  readonly counter: string
  readonly #ledger: ClientLedger
  #least = 0
  #most = 0

  /** @param counter the name of the durable counter that the effect increments */
  constructor(ledger: ClientLedger, counter: string) {
    this.#ledger = ledger
    this.counter = counter
  }

  /** A request was sent that may cause it this often. */
  mayHappen(times = 1): void {
    this.#most += times
  }

  /** A response proves one occurrence. */
  hasHappened(): void {
    this.#least++
  }

  /** A response proves that the request was refused. */
  cannotHappen(times = 1): void {
    this.#most -= times
  }

  check(value: number): void {
    this.#ledger.count('effects checked')
    const bounds = `${this.#least} to ${this.#most} are explained`
    if (value > this.#most) {
      this.#ledger.violation('repeated-effect', `${this.counter} counts ${value}; ${bounds}`)
    } else if (value < this.#least) {
      this.#ledger.violation('lost-effect', `${this.counter} counts ${value}; ${bounds}`)
    }
  }
}

/** The values that a counter answered. It never answers the same value twice. */
export class CounterValues {
  readonly #ledger: ClientLedger
  readonly #counter: string
  readonly #values = new Set<number>()

  constructor(ledger: ClientLedger, counter: string) {
    this.#ledger = ledger
    this.#counter = counter
  }

  receive(value: number): void {
    if (this.#values.has(value)) {
      const text = `${this.#counter} answered ${value} to two calls: an increment did not last`
      this.#ledger.violation('lost-effect', text)
    }
    this.#values.add(value)
  }
}
