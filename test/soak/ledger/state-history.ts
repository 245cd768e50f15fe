/** The values of one handle of `ctx.state`: what was acknowledged stays, and what was lost has an effect or none. */
import type { ClientLedger } from './ledger.ts'

export class StateHistory {
  readonly #ledger: ClientLedger
  /** What the server may have stored: one value, or two after a lost response. Undefined is none. */
  #possible: readonly unknown[]

  constructor(ledger: ClientLedger, created: unknown) {
    this.#ledger = ledger
    this.#possible = [created]
  }

  /** The value that was read or written last. */
  get present(): unknown {
    return this.#possible[0]
  }

  /** The server has answered a write, which expected the present value. */
  written(value: unknown, isAccepted: boolean): void {
    if (isAccepted) this.#possible = [value]
    else this.#ledger.violation('unexpected-answer', `The write of ${value} was refused`)
  }

  /** The response to a write was lost. */
  lost(value: unknown): void {
    this.#possible = [...this.#possible, value]
  }

  read(value: unknown): void {
    this.#ledger.count('states read')
    if (!this.#possible.includes(value)) {
      const text = `The state is ${value}, and may be ${this.#possible.join(' or ')}`
      this.#ledger.violation('lost-effect', text)
    }
    this.#possible = [value]
  }
}
