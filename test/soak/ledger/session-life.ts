/** Whether a session may be served: from `initialize` until its termination, and by its principal alone. */
import type { ClientLedger } from './ledger.ts'

const NOT_FOUND = 404

export class SessionLife {
  readonly #ledger: ClientLedger
  readonly #name: string
  /** `ending`: a termination was sent, and its result is unknown. */
  #state: 'valid' | 'ending' | 'ended' = 'valid'

  constructor(ledger: ClientLedger, name: string) {
    this.#ledger = ledger
    this.#name = name
  }

  get isValid(): boolean {
    return this.#state === 'valid'
  }

  ending(): void {
    if (this.#state === 'valid') this.#state = 'ending'
  }

  /** The termination was acknowledged. */
  ended(): void {
    this.#state = 'ended'
  }

  /** The status of any request with this session id. */
  answered(status: number): void {
    if (status === NOT_FOUND) {
      if (this.#state === 'valid') {
        const text = `Session ${this.#name} is valid and answers 404`
        this.#ledger.violation('forgotten-session', text)
      }
      this.#state = 'ended'
    } else if (this.#state === 'ended') {
      const text = `Session ${this.#name} was terminated and answers ${status}`
      this.#ledger.violation('revived-session', text)
    }
  }

  /** The status of a request of another principal. */
  answeredToOther(status: number): void {
    if (status === NOT_FOUND) return
    const text = `Session ${this.#name} answers ${status} to another principal`
    this.#ledger.violation('revived-session', text)
  }
}
