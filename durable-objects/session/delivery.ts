/** Where the answers of one POST go: back with the call at first, to a log from its opening on. */

import { randomId } from '../../src/platform/random-token.ts'
import {
  type AnswerForm,
  MAIN_STREAM,
  type SessionAnswer,
  type StreamKind,
} from '../../src/ports/sessions.ts'

export class Delivery {
  /** Made on first use: most answers need no stream. */
  #stream: string | undefined
  readonly kind: StreamKind
  readonly mayStream: boolean
  /** Answers of runs without a row, to be returned with the call. A log that opens takes them. */
  readonly held: SessionAnswer[] = []
  /** Size of all answers so far, in UTF-16 code units. */
  answerLength = 0
  readonly #opened = Promise.withResolvers<void>()
  #isOpen: boolean

  /** @param stream undefined for a new one */
  constructor(stream: string | undefined, form: AnswerForm, isOpen = false) {
    this.#stream = stream
    this.kind = stream === MAIN_STREAM ? 'main' : 'answer'
    this.mayStream = form !== 'json'
    this.#isOpen = isOpen
  }

  get stream(): string {
    this.#stream ??= randomId()
    return this.#stream
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when the log is open. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  open(): void {
    this.#isOpen = true
    this.#opened.resolve()
  }
}
