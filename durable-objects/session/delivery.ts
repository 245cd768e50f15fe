/** Where the answers of one POST go: back with the call while that is possible, and to a log from then on. */
import type { AnswerForm, StreamKind } from '../../src/ports/sessions.ts'

export class Delivery {
  readonly stream: string
  readonly kind: StreamKind
  readonly #mayStream: boolean
  readonly #opened = Promise.withResolvers<void>()
  #isOpen: boolean

  constructor(stream: string, kind: StreamKind, form: AnswerForm, isOpen = false) {
    this.stream = stream
    this.kind = kind
    this.#mayStream = form !== 'json'
    this.#isOpen = isOpen
  }

  get mayStream(): boolean {
    return this.#mayStream
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when the log is open, whoever opens it. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  open(): void {
    this.#isOpen = true
    this.#opened.resolve()
  }
}
