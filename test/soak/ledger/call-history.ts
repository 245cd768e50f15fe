/** The messages of one call, compared with the messages that its tool sends. */
import type { Message } from '../../faults/sessions/message.ts'
import type { ClientLedger } from './ledger.ts'

export interface CallScript {
  /** The request id, which is the progress token too. No two calls of a soak have the same. */
  readonly id: number
  readonly tool: string
  /** The messages before the response, in order, as {@link textOf} writes them. */
  readonly before: readonly string[]
  /** Whether this is the response of a call that was not interrupted. */
  readonly accepts: (response: Message) => boolean
}

/** How the error result of an interrupted call begins. */
const INTERRUPTION = 'The server was interrupted while this call was running.'

/** A message that is no response, in a few words. */
export function textOf({ method, params }: Message): string {
  switch (method) {
    case 'notifications/progress':
      return `progress ${params?.progressToken} ${params?.progress}`
    case 'elicitation/create':
      return `ask ${params?.message}`
    case 'notifications/resources/updated':
      return `updated ${params?.uri}`
    default:
      return String(method)
  }
}

export function isInterruption({ result }: Message): boolean {
  return result?.isError === true && result.content?.[0]?.text.startsWith(INTERRUPTION) === true
}

export class CallHistory {
  readonly script: CallScript
  readonly #ledger: ClientLedger
  readonly #wasKilled: () => boolean
  /** Indexes of the messages that came. */
  readonly #received = new Set<number>()
  readonly #answered = Promise.withResolvers<Message>()
  #response: Message | undefined

  /** @param wasKilled whether the server was killed since the call was sent */
  constructor(ledger: ClientLedger, script: CallScript, wasKilled: () => boolean) {
    this.#ledger = ledger
    this.script = script
    this.#wasKilled = wasKilled
  }

  get isAnswered(): boolean {
    return this.#response !== undefined
  }

  /** The response, if it is the one of a call that was not interrupted. */
  get success(): Message | undefined {
    const response = this.#response
    return response !== undefined && this.script.accepts(response) ? response : undefined
  }

  /** Resolves with the response. */
  get answered(): Promise<Message> {
    return this.#answered.promise
  }

  owns(message: Message): boolean {
    return message.method === undefined
      ? message.id === this.script.id
      : this.script.before.includes(textOf(message))
  }

  /** Records a message that {@link owns} accepts. */
  receive(message: Message): void {
    if (message.method === undefined) this.#receiveResponse(message)
    else this.#receiveOther(message)
  }

  /** The stream of the call has ended for good. */
  end(): void {
    if (!this.isAnswered) this.#accuse('lost-message', 'its stream ended without a response')
  }

  #receiveOther(message: Message): void {
    const text = textOf(message)
    const index = this.script.before.indexOf(text)
    const highest = Math.max(-1, ...this.#received)
    if (this.#received.has(index)) this.#accuse('duplicated-message', `"${text}" came twice`)
    else if (this.isAnswered) this.#accuse('reordered-message', `"${text}" came after the response`)
    else if (index < highest) {
      const later = this.script.before[highest]
      this.#accuse('reordered-message', `"${text}" came after "${later}"`)
    }
    this.#received.add(index)
  }

  #receiveResponse(message: Message): void {
    if (this.isAnswered) {
      this.#accuse('duplicated-message', 'its response came twice')
      return
    }
    this.#response = message
    this.#answered.resolve(message)
    const isSuccess = this.script.accepts(message)
    const expected = isSuccess ? this.script.before.length : Math.max(-1, ...this.#received) + 1
    for (let index = 0; index < expected; index++) {
      if (this.#received.has(index)) continue
      this.#accuse('lost-message', `"${this.script.before[index]}" never came`)
    }
    if (isSuccess) return
    if (!isInterruption(message)) {
      this.#accuse('unexpected-answer', `it was answered with ${JSON.stringify(message)}`)
    } else if (!this.#wasKilled()) {
      this.#accuse('unexpected-answer', 'it was interrupted, but the server was not killed')
    }
  }

  #accuse(kind: Parameters<ClientLedger['violation']>[0], what: string): void {
    const { id, tool } = this.script
    this.#ledger.violation(kind, `Call ${id} of ${tool}: ${what}`)
  }
}
