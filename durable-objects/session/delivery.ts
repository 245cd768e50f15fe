/** Where the answers of one POST go: back with the call while that is possible, and to a log from then on. */
import type { AnswerForm, StreamKind } from '../../src/ports/sessions.ts'
import { createId } from './create-id.ts'

export class Delivery {
  /** Undefined until it is needed: most answers never have one. */
  #stream: string | undefined
  readonly kind: StreamKind
  readonly #mayStream: boolean
  readonly #opened = Promise.withResolvers<void>()
  #isOpen: boolean

  /** @param stream undefined for a new one */
  constructor(stream: string | undefined, kind: StreamKind, form: AnswerForm, isOpen = false) {
    this.#stream = stream
    this.kind = kind
    this.#mayStream = form !== 'json'
    this.#isOpen = isOpen
  }

  get stream(): string {
    this.#stream ??= createId()
    return this.#stream
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
