/** The calls whose messages may arrive on one stream. A message of no such call is foreign. */
import type { Message } from '../../faults/sessions/message.ts'
import { type CallHistory, textOf } from './call-history.ts'
import type { ClientLedger } from './ledger.ts'

/** Answered calls are kept, so that a message that comes twice is not taken for a foreign one. */
const MAX_KEPT = 200

export class OpenCalls {
  readonly #ledger: ClientLedger
  readonly #histories: CallHistory[] = []

  constructor(ledger: ClientLedger, histories: readonly CallHistory[] = []) {
    this.#ledger = ledger
    this.#histories.push(...histories)
  }

  get unanswered(): readonly CallHistory[] {
    return this.#histories.filter(({ isAnswered }) => !isAnswered)
  }

  add(history: CallHistory): void {
    this.#histories.push(history)
    const [oldest] = this.#histories
    if (this.#histories.length > MAX_KEPT && oldest?.isAnswered) this.#histories.shift()
  }

  /** Records a message with its call, and returns it. */
  receive(message: Message): CallHistory | undefined {
    this.#ledger.count('messages checked')
    // The newest first: two calls may ask the same question one after the other.
    const history = this.#histories.findLast((one) => one.owns(message))
    if (history === undefined) {
      const what = message.method === undefined ? JSON.stringify(message) : textOf(message)
      this.#ledger.violation('foreign-message', `No open call of this stream explains: ${what}`)
    }
    history?.receive(message)
    return history
  }
}
