/** The event ids of one stream: `<seal>~<number>`. A number names one event, and numbers grow. */
import type { ClientLedger } from './ledger.ts'

export class StreamPositions {
  readonly #ledger: ClientLedger
  readonly #stream: string
  readonly #isGapless: boolean
  #last: number | undefined

  /** @param isGapless whether the numbers are consecutive, as those of the answer to a POST are */
  constructor(ledger: ClientLedger, stream: string, isGapless: boolean) {
    this.#ledger = ledger
    this.#stream = stream
    this.#isGapless = isGapless
  }

  receive(eventId: string): void {
    const [, digits] = /~(\d+)$/.exec(eventId) ?? []
    const at = Number(digits)
    const last = this.#last
    if (digits === undefined) {
      this.#accuse('unexpected-answer', `An event of ${this.#stream} has the id "${eventId}"`)
    } else if (last === undefined || at > last) {
      this.#last = at
      if (!this.#isGapless || at === (last ?? 0) + 1) return
      this.#accuse('lost-message', `${this.#stream} went from event ${last ?? 0} to event ${at}`)
    } else if (at === last) {
      this.#accuse('duplicated-message', `Event ${at} of ${this.#stream} came twice`)
    } else {
      this.#accuse('reordered-message', `Event ${at} of ${this.#stream} came after event ${last}`)
    }
  }

  #accuse(...accusation: Parameters<ClientLedger['violation']>): void {
    this.#ledger.violation(...accusation)
  }
}
